"""Compares bytes with the canonical text of a snapshot, without building the whole text."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

from statefmt.formats.style import Style
from statefmt.formats.writing.canonical import canonical_pieces
from statefmt.model.snapshot import Snapshot


def is_canonical(data: bytes, snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> bool:
    """Return whether `data` is what `canonical` returns; for large states in half the time and without the memory."""
    same, other = _same(data, canonical_pieces(snapshot, style, keep_unknown=keep_unknown))
    return other is None and same == len(data)


def made_canonical(data: bytes, snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> bytes:
    """Return what `canonical` returns; `data` itself if it is canonical already."""
    pieces = canonical_pieces(snapshot, style, keep_unknown=keep_unknown)
    same, other = _same(data, pieces)
    if other is None and same == len(data):
        return data
    text = BytesIO()
    text.write(memoryview(data)[:same])
    text.write(other or b"")
    text.writelines(pieces)
    return text.getvalue()


def _same(data: bytes, pieces: Iterator[bytes]) -> tuple[int, bytes | None]:
    """Return how many bytes the text and `data` have in common, in whole pieces, and the first piece that differs."""
    position = 0
    for piece in pieces:
        if not data.startswith(piece, position):
            return position, piece
        position += len(piece)
    return position, None
