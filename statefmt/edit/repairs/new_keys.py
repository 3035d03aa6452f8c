"""Gives objects new keys, which must be valid and free."""

from __future__ import annotations

from typing import Final

from statefmt.edit.repairs.loose_state import LooseState
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import NumberText, encode_string, loads_exact
from statefmt.model.addrs import InstanceKey, IntKey, StringKey
from statefmt.model.errors import SurgeryError
from statefmt.text import pattern

DEPOSED_KEY: Final = 8
_WHOLE: Final = pattern(r"0|[1-9][0-9]{0,14}")


def new_instance_key(state: LooseState, one: JsonPath, given: str) -> dict[JsonPath, bytes | None]:
    """Return the change that gives an object an instance key, as JSON. Raises SurgeryError."""
    key = parse_key(given)
    if state.has_object(one, key, state.string((*one, "deposed"))):
        raise SurgeryError(f"{state.resource_address(one[:2])} already has an object with the key {given}")
    return {(*one, "index_key"): key_json(key)}


def new_deposed_key(state: LooseState, one: JsonPath, given: str) -> dict[JsonPath, bytes | None]:
    """Return the change that gives a deposed object another deposed key. Raises SurgeryError."""
    if len(given.encode()) != DEPOSED_KEY:
        raise SurgeryError(f"{given!r} is not a deposed key, which has exactly {DEPOSED_KEY} bytes")
    if any(other.deposed == given for other in state.objects_with_key(one)):
        raise SurgeryError(f"the instance already has an object with the deposed key {given}")
    return {(*one, "deposed"): encode_string(given)}


def parse_key(given: str) -> InstanceKey:
    """Parse an instance key from JSON: a whole number or a string. Raises SurgeryError."""
    try:
        value = loads_exact(given.encode())
    except ValueError:
        value = None
    if isinstance(value, NumberText) and _WHOLE.fullmatch(value):
        return IntKey(int(value))
    if isinstance(value, str) and not isinstance(value, NumberText):
        return StringKey(value)
    raise SurgeryError(f"{given!r} is not a key: write a whole number, or a string in double quotes")


def key_json(key: InstanceKey) -> bytes:
    """Return the JSON text of a number or string key."""
    assert isinstance(key, (IntKey, StringKey))
    return encode_string(key.value) if isinstance(key, StringKey) else str(key.value).encode()
