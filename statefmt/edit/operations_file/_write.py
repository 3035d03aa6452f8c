"""Writes operations files in HCL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from statefmt.edit.operations_file._model import BLOCKS, Expect, OperationBlock, StateBlock
from statefmt.model.addrs.literals import hcl_quote
from statefmt.text import pattern

_KEY: Final = r'\[(?:[0-9]+|"(?:\$\$\{|%%\{|[ !#&-\[\]-~])*")\]'
# An address without wildcards, which needs no quotes.
_TRAVERSAL: Final = pattern(rf"state(\.[A-Za-z_][A-Za-z0-9_-]*|{_KEY})*\.[A-Za-z_][A-Za-z0-9_-]*({_KEY})?")
# Arguments that may have such addresses.
_ADDRESSES: Final = ("from_", "to", "of", "outputs_from")
_TEMPLATE_STARTS: Final = pattern(r"(?<![$%])[$%]{2,}\{")
_IDENTIFIER: Final = pattern(r"[A-Za-z_][A-Za-z0-9_-]*")


def operations_text(
    states: Mapping[str, StateBlock], operations: Iterable[OperationBlock], expect: Expect | None = None
) -> str:
    """Return an operations file with these states, operations and expectations, as read_operations_file() reads it."""
    names = {of: name for name, of in BLOCKS.items()}
    blocks = [
        *(_block(f"state {hcl_quote(name)}", state) for name, state in states.items()),
        *(_block(names[type(operation)], operation) for operation in operations),
        *(() if expect is None else [_block("expect", expect)]),
    ]
    return "\n".join(blocks)


def _block(head: str, block: msgspec.Struct) -> str:
    lines = dict(_arguments(block))
    # As `tofu fmt` aligns them: what takes several lines stands alone.
    widths = {name: 0 if "\n" in value else len(name) for name, value in lines.items()}
    width = max(widths.values(), default=0)
    texts = (f"  {name:{width if widths[name] else 0}} = {value}" for name, value in lines.items())
    return "\n".join([f"{head} {{", *texts, "}\n"])


def _arguments(block: msgspec.Struct) -> Iterator[tuple[str, str]]:
    """Yield the arguments that are not the default, as the file has them."""
    for member in msgspec.structs.fields(block):
        value = getattr(block, member.name)
        factory = member.default_factory
        default = member.default if factory is msgspec.NODEFAULT else factory()
        if member.required or value != default:
            yield member.encode_name, _addresses(value) if member.name in _ADDRESSES else _value(value)


def _addresses(value: object) -> str:
    if isinstance(value, str):
        return value if _TRAVERSAL.fullmatch(value) else _quoted(value)
    if isinstance(value, tuple) and len(value) > 1:
        return "\n".join(["[", *(f"    {_addresses(one)}," for one in value), "  ]"])
    return f"[{_addresses(value[0])}]" if isinstance(value, tuple) and value else _value(value)


def _value(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        members = [f"{_name(name)} = {_value(item)}" for name, item in value.items()]
        return f"{{ {', '.join(members)} }}" if members else "{}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _name(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """Quote a string; `$${` in it has another meaning in HCL even if each dollar sign is doubled."""
    pieces = [hcl_quote(piece)[1:-1] for piece in _TEMPLATE_STARTS.split(text)]
    starts = ["".join(f"\\u{ord(char):04x}" for char in found[:-1]) + "{" for found in _TEMPLATE_STARTS.findall(text)]
    return f'"{"".join(piece + start for piece, start in zip(pieces, [*starts, ""], strict=True))}"'
