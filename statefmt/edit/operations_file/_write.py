"""Writes operations files in HCL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec
from msgspec import NODEFAULT, Struct

from statefmt.edit.operations_file._model import OperationBlock, StateBlock
from statefmt.edit.operations_file._read import BLOCKS
from statefmt.model.addrs import parse_abs_resource_instance, parse_module_instance
from statefmt.model.addrs.quoting import hcl_quote
from statefmt.model.errors import AddressError

_STATE: Final = "state."
# Arguments that may be addresses, which are written without quotes then.
_ADDRESSES: Final = ("from_", "to", "of", "prefix", "outputs_from")


def operations_text(states: Mapping[str, StateBlock], operations: Iterable[OperationBlock]) -> str:
    """Return an operations file, which `read_operations_file` reads; `states` are by their names."""
    named = (_block(f"state {hcl_quote(name)}", state) for name, state in states.items())
    types = {of: name for name, of in BLOCKS.items()}
    return "\n".join([*named, *(_block(types[type(one)], one) for one in operations)])


def _block(head: str, block: Struct) -> str:
    members = dict(_members(block))
    # As `tofu fmt` does it.
    width = 0 if any("\n" in text for text in members.values()) else max(map(len, members), default=0)
    lines = "".join(f"  {name:{width}} = {text}\n" for name, text in members.items())
    return f"{head} {{\n{lines}}}\n"


def _members(block: Struct) -> Iterator[tuple[str, str]]:
    for field in msgspec.structs.fields(block):
        value = getattr(block, field.name)
        if field.default is NODEFAULT or value != field.default:
            yield field.encode_name, _value(value) if field.name in _ADDRESSES else _constant(value)


def _value(value: object) -> str:
    if isinstance(value, str):
        return value if _is_reference(value) else hcl_quote(value)
    if isinstance(value, tuple):
        return "[\n" + "".join(f"    {_value(one)},\n" for one in value) + "  ]"
    return _constant(value)


def _constant(value: object) -> str:
    if isinstance(value, Mapping):
        members = (f"{hcl_quote(str(key))} = {_constant(one)}" for key, one in value.items())
        return f"{{ {', '.join(members)} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_constant, value))}]"
    return hcl_quote(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def _is_reference(text: str) -> bool:
    """Return whether a string can be written without quotes: an address, `state.NAME`, or an address in a state."""
    if text.startswith(_STATE):
        _, dot, text = text.removeprefix(_STATE).partition(".")
        if not dot:
            return True
    return _is_address(text)


def _is_address(text: str) -> bool:
    for parse in (parse_abs_resource_instance, parse_module_instance):
        try:
            return str(parse(text)) == text
        except AddressError:
            continue
    return False
