"""Encodes and decodes bytes and structs in JSON as Go does.

For a state of a hundred megabytes, touching new memory takes longer than encryption. So base64 is decoded while it is
used, and encoded in place.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import pybase64

from statefmt.golang import JSONValue, Members, NumberText, fold_name, kind_name

_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")
_INT64_DIGITS: Final = 19


def members_named(document: Members, name: str) -> list[JSONValue]:
    """Return the values of all members with a name, in order. Like Go, ignores case."""
    return [value for given, value in document if given == name or fold_name(given) == name]


def member(document: Members, name: str) -> JSONValue:
    """Return the value that Go keeps: the last one that is not null, or None."""
    found = [value for value in members_named(document, name) if value is not None]
    return found[-1] if found else None


def text(value: JSONValue, name: str) -> str:
    """Check that a member is a string; return "" if it is missing. Raises ValueError."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, NumberText):
        return str(value)
    raise ValueError(f'"{name}" is not a string but of type {kind_name(value)}')


def whole_number(value: JSONValue, name: str) -> int | None:
    """Convert a member to a 64-bit whole number; return None if it is missing. Raises ValueError."""
    if value is None:
        return None
    if isinstance(value, NumberText):
        # Like Go, reject 3.0 and 3e0. The length limit keeps int() fast.
        digits = value.removeprefix("-")
        if _WHOLE.fullmatch(value) and len(digits) <= _INT64_DIGITS:
            number = int(value)
            if -(2**63) <= number < 2**63:
                return number
        raise ValueError(f'"{name}" is not a whole number of 64 bits')
    raise ValueError(f'"{name}" is not a number but of type {kind_name(value)}')


def json_object(value: JSONValue, what: str) -> Members:
    """Check that a value is an object. Raises ValueError."""
    if isinstance(value, Members):
        return value
    raise ValueError(f"{what} is not an object but of type {kind_name(value)}")


# A multiple of three bytes, so that pieces need no padding.
_PIECE: Final = 3 * 2**16
_PIECE_TEXT: Final = _PIECE // 3 * 4
# Room for the text before and after the base64; more is possible but slower.
_ROOM: Final = 65_536


class NotBase64Error(ValueError):
    """The text is not strict base64; Go may still accept it."""


@dataclass(frozen=True, slots=True, eq=False)
class Base64Text:
    """Base64-encoded bytes, decoded on request.

    Decodes only strict base64: standard alphabet, with padding, without line breaks. The length is correct only then.
    """

    text: memoryview

    def __len__(self) -> int:
        padding = bytes(self.text[-2:]).count(b"=")
        return max(0, len(self.text) // 4 * 3 - padding)

    def __bytes__(self) -> bytes:
        """Decode all bytes. Raises NotBase64Error."""
        return _decoded(self.text, len(self))

    def pieces(self) -> Iterator[bytes]:
        """Decode the bytes in pieces. Raises NotBase64Error, possibly after some pieces."""
        last = max(0, (len(self.text) - 1) // _PIECE_TEXT * _PIECE_TEXT)
        for start in range(0, last, _PIECE_TEXT):
            yield _decoded(self.text[start : start + _PIECE_TEXT], _PIECE)
        yield _decoded(self.text[last:], len(self) - last // 4 * 3)


class Base64Room:
    """A buffer for a number of bytes that `framed` encodes as base64 in place. Can be used once."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._buffer = BytesIO(bytes((length + 2) // 3 * 4 + _ROOM))

    @classmethod
    def of(cls, data: bytes | bytearray) -> Base64Room:
        """Return a buffer with these bytes."""
        room = cls(len(data))
        with room.view() as view:
            view[:] = data
        return room

    def view(self) -> memoryview:
        """Return a view of the bytes, initially zero; release it before calling `framed`."""
        return self._buffer.getbuffer()[: self._length]

    def framed(self, before: bytes, after: bytes) -> bytes:
        """Return the base64 of the bytes between two other texts. The buffer cannot be used again."""
        start = len(before)
        end = start + (self._length + 2) // 3 * 4
        missing = end + len(after) - len(self._buffer.getbuffer())
        if missing > 0:
            self._buffer.seek(0, 2)
            self._buffer.write(bytes(missing))
        with self._buffer.getbuffer() as text:
            # From the end: base64 is longer, so this never overwrites bytes that are still to be read.
            for piece in reversed(range(0, self._length, _PIECE)):
                encoded = pybase64.b64encode(text[piece : min(piece + _PIECE, self._length)])
                place = start + piece // 3 * 4
                text[place : place + len(encoded)] = encoded
            text[:start] = before
            text[end : end + len(after)] = after
        self._buffer.truncate(end + len(after))
        return self._buffer.getvalue()


def _decoded(text: memoryview, length: int) -> bytes:
    try:
        data = pybase64.b64decode(text, validate=True)
    except ValueError:
        raise NotBase64Error("it is not base64") from None
    if len(data) != length:
        # The text contains padding before its end.
        raise NotBase64Error("it is not base64")
    return data


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
