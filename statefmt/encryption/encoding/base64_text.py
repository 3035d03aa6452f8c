"""Encodes and decodes large base64 strings piece by piece, with little memory.

For a state of a hundred megabytes, touching new memory takes longer than encryption. So base64 is decoded while it is
used, and encoded in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import pybase64

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
