"""Rewrites a raw value that was edited, keeping the bytes of the file for all unchanged parts."""

from __future__ import annotations

from typing import Final

from msgspec import Raw

from statefmt.formats.raw_json.spans import Container, container_at
from statefmt.formats.writing.assemble import Assembler, Entry
from statefmt.pieces import Pieces, Span

# No attributes nest this deeply; values below are written anew.
_DEEPEST: Final = 100


def value_pieces(write: Assembler, data: bytes, span: Span, new: bytes, depth: int) -> Pieces:
    """Return the pieces of the value `new`, keeping the bytes of the old value at `span` for all unchanged parts.

    Objects are edited member by member if `new` has only members of the old one, in its order, and arrays if the
    number of elements is the same; anything else is laid out anew. `depth` is the nesting depth of the value.
    """
    if data[span.start : span.end] == new:
        return [span]
    if depth < _DEEPEST and new[:1] == data[span.start : span.start + 1] and new[:1] in (b"{", b"["):
        old, now = container_at(data, span.start), container_at(new)
        if new[:1] == b"{" and _has_members_of(data, old, new, now):
            return _object(write, data, old, new, now, depth)
        if new[:1] == b"[" and len(old.items) == len(now.items):
            elements = [
                Entry(None, item, value_pieces(write, data, item.value, _text(new, other.value), depth + 1))
                for item, other in zip(old.items, now.items, strict=True)
            ]
            return write.array(old, elements, depth + 1)
    return [write.text(Raw(new), depth)]


def _object(write: Assembler, data: bytes, old: Container, new: bytes, now: Container, depth: int) -> Pieces:
    after = {item.name: _text(new, item.value) for item in now.items}
    edited: dict[str, Pieces | None] = {}
    for item in {item.name: item for item in old.items}.values():
        value = after.get(item.name)
        if value is None:
            edited[item.name] = None
        elif value != _text(data, item.value):
            edited[item.name] = value_pieces(write, data, item.value, value, depth + 1)
    return write.edited(old, edited, (), depth + 1)


def _has_members_of(data: bytes, old: Container, new: bytes, now: Container) -> bool:
    """Return whether `now` has only members of `old`, in its order; of duplicates, only the last may differ."""
    last = {item.name: item for item in now.items}
    kept = [item for item in old.items if item.name in last]
    return [item.name for item in kept] == [item.name for item in now.items] and all(
        other is last[other.name] or _text(data, item.value) == _text(new, other.value)
        for item, other in zip(kept, now.items, strict=True)
    )


def _text(data: bytes, span: Span) -> bytes:
    return data[span.start : span.end]
