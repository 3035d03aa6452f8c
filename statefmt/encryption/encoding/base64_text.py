"""Much base64 and the bytes it stands for: each made of the other piece by piece, near the processor.

Memory is what takes the time where a state has a hundred megabytes: to touch it for the first time costs more than to
encrypt it. So the one is decoded while it is used, and the other takes the place of the bytes that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import pybase64

# A multiple of three bytes, so that no padding comes in between.
_PIECE: Final = 3 * 2**16
_PIECE_TEXT: Final = _PIECE // 3 * 4
# What stands before and after the text has room here; more of it is possible, and takes longer.
_ROOM: Final = 65_536


class NotBase64Error(ValueError):
    """A text that is no strict base64; it may still be what Go takes for base64."""


@dataclass(frozen=True, slots=True, eq=False)
class Base64Text:
    """Bytes that stand somewhere in base64, not decoded before they are asked for.

    Only strict base64 can be decoded: standard, with padding, nothing between. Its length is right if it is that.
    """

    text: memoryview

    def __len__(self) -> int:
        padding = bytes(self.text[-2:]).count(b"=")
        return max(0, len(self.text) // 4 * 3 - padding)

    def __bytes__(self) -> bytes:
        """All of the bytes. Raises NotBase64Error."""
        return _decoded(self.text, len(self))

    def pieces(self) -> Iterator[bytes]:
        """The bytes in pieces. Raises NotBase64Error, perhaps after some of them."""
        last = max(0, (len(self.text) - 1) // _PIECE_TEXT * _PIECE_TEXT)
        for start in range(0, last, _PIECE_TEXT):
            yield _decoded(self.text[start : start + _PIECE_TEXT], _PIECE)
        yield _decoded(self.text[last:], len(self) - last // 4 * 3)


class Base64Room:
    """Room for so many bytes, which become base64 in the same place, as a part of a longer text, once."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._buffer = BytesIO(bytes((length + 2) // 3 * 4 + _ROOM))

    @classmethod
    def of(cls, data: bytes | bytearray) -> Base64Room:
        """Room with these bytes in it."""
        room = cls(len(data))
        with room.view() as view:
            view[:] = data
        return room

    def view(self) -> memoryview:
        """The bytes, all zero at first; to be released before they become base64."""
        return self._buffer.getbuffer()[: self._length]

    def framed(self, before: bytes, after: bytes) -> bytes:
        """The base64 of the bytes between two other texts. The room is used up then."""
        start = len(before)
        end = start + (self._length + 2) // 3 * 4
        missing = end + len(after) - len(self._buffer.getbuffer())
        if missing > 0:
            self._buffer.seek(0, 2)
            self._buffer.write(bytes(missing))
        with self._buffer.getbuffer() as text:
            # From the end: base64 is longer, and so never written over what is still to be read.
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
        # There is padding before the end.
        raise NotBase64Error("it is not base64")
    return data
