"""Describes new file content as ranges of the old content and new bytes, as edits produce and stores write it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias


class Span(NamedTuple):
    """A range from `start` up to, but not including, `end`."""

    start: int
    end: int


# A range of the old content, or new bytes.
Piece: TypeAlias = Span | bytes
Pieces: TypeAlias = list[Piece]


def parts_of(old: bytes, pieces: Iterable[Piece]) -> Iterator[memoryview]:
    """Yield the new content part by part, without copying the old content."""
    view = memoryview(old)
    for piece in pieces:
        yield view[piece.start : piece.end] if isinstance(piece, Span) else memoryview(piece)


def joined(old: bytes, pieces: Sequence[Piece]) -> bytes:
    """Return the new content as one bytes object."""
    if len(pieces) == 1 and isinstance(pieces[0], bytes):
        return pieces[0]
    return b"".join(old[piece.start : piece.end] if isinstance(piece, Span) else piece for piece in pieces)


def merged(pieces: Iterable[Piece]) -> Pieces:
    """Join adjacent spans and adjacent new bytes; the result has as few pieces as possible."""
    found: Pieces = []
    texts: list[bytes] = []
    for piece in pieces:
        if not isinstance(piece, Span):
            texts.append(piece)
        elif piece.start < piece.end:
            if any(texts):
                found.append(b"".join(texts))
            texts.clear()
            last = found[-1] if found else b""
            if isinstance(last, Span) and last.end == piece.start:
                found[-1] = Span(last.start, piece.end)
            else:
                found.append(piece)
    return [*found, b"".join(texts)] if any(texts) else found


def makes_the_same(old: bytes, pieces: Sequence[Piece]) -> bool:
    """Return whether the new content equals the old."""
    if sum(piece.end - piece.start if isinstance(piece, Span) else len(piece) for piece in pieces) != len(old):
        return False
    place = 0
    for piece, part in zip(pieces, parts_of(old, pieces), strict=True):
        if piece != (place, place + len(part)) and not old.startswith(part, place):
            return False
        place += len(part)
    return True
