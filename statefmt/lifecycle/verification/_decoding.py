"""Decodes the JSON of plans and states for comparison, with numbers of any size."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Raw

from statefmt.formats.versions.decode import object_members
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.lifecycle.verification._difference import Decoded
from statefmt.model.cty import parse_number

UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError)
# The first bytes of objects and arrays.
CONTAINERS: Final = b"{["
_VALUE: Final = msgspec.json.Decoder(float_hook=lambda text: parse_number(text) or text)


def decoded(raw: Raw | bytes) -> Decoded:
    """Decode JSON with numbers of any size. Raises RecursionError if it is nested too deeply."""
    try:
        value: Decoded = _VALUE.decode(raw)
    except UNREADABLE:
        # Half a surrogate pair in an escape, which Go reads as U+FFFD.
        return _plain(loads_exact(bytes(raw), replace_invalid=True))
    return value


def _plain(value: JSONValue) -> Decoded:
    if isinstance(value, Members):
        return {name: _plain(member) for name, member in value}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    if isinstance(value, NumberText):
        return parse_number(value) or str(value)
    return value


def same_text(one: Raw, other: Raw) -> bool:
    """Return whether two values are the same text, apart from white space between tokens."""
    if len(one) == len(other) and bytes(one) == bytes(other):
        return True
    if memoryview(one)[0] not in CONTAINERS or memoryview(other)[0] != memoryview(one)[0]:
        return False
    try:
        return msgspec.json.format(bytes(one), indent=-1) == msgspec.json.format(bytes(other), indent=-1)
    except UNREADABLE:
        return False


def attribute_texts(attributes: Raw) -> dict[str, bytes]:
    """Return the attributes of an object as JSON text by name; none if it is no object."""
    if memoryview(attributes)[0] != ord("{"):
        return {}
    return {name: bytes(value) for name, value in object_members(attributes).items()}
