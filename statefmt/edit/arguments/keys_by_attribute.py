"""Takes instance keys from attributes: `rekey --by tags.Name`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.golang import JSONValue, Members, NumberText, kind_name, nfc
from statefmt.model.addrs import AbsResourceInstance, InstanceKey, IntKey, StringKey
from statefmt.model.cty.number import parse_number
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.model.snapshot import InstanceState
from statefmt.redaction.attribute_values import look_up, look_up_flat
from statefmt.redaction.object_value import attributes_value
from statefmt.redaction.partial import Hidden, decoded, parse_path
from statefmt.text import pattern

_LIMIT: Final = 2**63
_DIGITS: Final = pattern(r"0|[1-9][0-9]{0,17}")


def keys_by_attribute(
    chosen: Sequence[InstanceState], path: str, *, count: bool = False, allow_sensitive: bool = False
) -> dict[AbsResourceInstance, InstanceKey]:
    """Return the key of each instance from the attribute at `path`, for `for_each` or, if `count`, for `count`.

    Raises SurgeryError if an attribute is missing, is neither a string nor a whole number, or is sensitive without
    `allow_sensitive`: keys are visible in every address.
    """
    return {i.addr: _key(i.addr, path, _value(i, path, allow_sensitive), count) for i in chosen}


def _value(instance: InstanceState, path: str, allow_sensitive: bool) -> JSONValue:
    obj = instance.current or (instance.deposed[0] if len(instance.deposed) == 1 else None)
    if obj is None:
        raise SurgeryError(
            f"{instance.addr} has no current object and several deposed ones; map its key explicitly",
            address=instance.addr,
        )
    try:
        value = decoded(attributes_value(obj, instance.resource.addr.resource.type, show_sensitive=allow_sensitive))
        if obj.attributes is None and isinstance(value, Members):
            return look_up_flat(value, path)
        return look_up(value, parse_path(path))
    except (SelectionError, ValueError) as error:
        raise SurgeryError(f"{instance.addr}: {error}", address=instance.addr) from error


def _key(addr: AbsResourceInstance, path: str, value: JSONValue, count: bool) -> InstanceKey:
    if isinstance(value, Hidden):
        raise SurgeryError(
            f"{addr}: {path} is sensitive, and keys are visible in every address; choose another attribute",
            address=addr,
        )
    if not isinstance(value, str):
        raise SurgeryError(f"{addr}: {path} is {_kind(value)}; a key must be a string or a whole number", address=addr)
    number = _whole_number(value)
    if count:
        if number is None or number < 0:
            raise SurgeryError(f"{addr}: {path} is not a whole number of at least 0, as count needs", address=addr)
        return IntKey(number)
    if isinstance(value, NumberText):
        if number is None:
            raise SurgeryError(f"{addr}: {path} is {value!s}; a numeric key must be a whole number", address=addr)
        return StringKey(str(number))
    return StringKey(nfc(value))


def _whole_number(value: str) -> int | None:
    """Return the value of a number or a string of digits; None if it is not whole or exceeds 64 bits."""
    if not isinstance(value, NumberText):
        return int(value) if _DIGITS.fullmatch(value) else None
    number = parse_number(value)
    found = None if number is None else number.small_integer()
    return found if found is not None and -_LIMIT <= found < _LIMIT else None


def _kind(value: JSONValue) -> str:
    name = kind_name(value)
    return name if value is None else f"{'an' if name[0] in 'ao' else 'a'} {name}"
