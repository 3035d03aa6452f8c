"""Encodes and decodes bytes in JSON as Go does: as base64 or, only when reading, as a list of numbers."""

from __future__ import annotations

import binascii
from typing import Final

import pybase64

from statefmt.golang import JSONValue, NumberText, kind_name

_HIGHEST_BYTE: Final = 255


def decode_base64(text: bytes | memoryview) -> bytes:
    """Decode standard base64 with padding, ignoring line breaks. Raises ValueError."""
    try:
        return pybase64.b64decode(text, validate=True)
    except ValueError:
        # Go also accepts line breaks, and leftover bits before the padding.
        pass
    try:
        return binascii.a2b_base64(bytes(text).translate(None, b"\r\n"), strict_mode=True)
    except ValueError:
        raise ValueError("it is not base64") from None


def encode_base64(data: bytes | bytearray) -> bytes:
    """Encode as standard base64 with padding, in double quotes."""
    return b'"%b"' % pybase64.b64encode(data)


def bytes_of(value: JSONValue) -> bytes:
    """Convert a JSON value to bytes as Go does; null gives no bytes. Raises ValueError."""
    if value is None:
        return b""
    if isinstance(value, list):
        return bytes(map(_byte, value))
    if isinstance(value, str) and not isinstance(value, NumberText):
        return decode_base64(value.encode("utf-8"))
    raise ValueError(f"expected a base64 string, but found a value of type {kind_name(value)}")


def _byte(value: JSONValue) -> int:
    if value is None:
        return 0
    if isinstance(value, NumberText) and value.isdigit() and len(value) <= len(str(_HIGHEST_BYTE)):
        number = int(value)
        if number <= _HIGHEST_BYTE:
            return number
    raise ValueError("a list of bytes may contain only numbers from 0 to 255")
