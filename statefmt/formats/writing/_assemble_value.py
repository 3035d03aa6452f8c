"""A raw value that was edited inside, put together from the bytes of the file and from what is new in it."""

from __future__ import annotations

from typing import Final

from msgspec import Raw

from statefmt.formats.raw_json.spans import Container, container_at
from statefmt.formats.writing.assemble import Assembler, Entry
from statefmt.pieces import Pieces, Span

# No attributes nest as deep; below it a value is written anew.
_DEEPEST: Final = 100


def value_pieces(write: Assembler, data: bytes, span: Span, new: bytes, depth: int) -> Pieces:
    """The value at `span` of the file as `new` says, with the bytes of every part that is the same.

    Objects are taken apart where `new` has no other members than the old one, in its order, and arrays where it has as
    many elements; all else is laid out anew. `depth` is how deep the value stands.
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
    """Whether an object has members of another one only, in its order; of what repeats only the last one differs."""
    last = {item.name: item for item in now.items}
    kept = [item for item in old.items if item.name in last]
    return [item.name for item in kept] == [item.name for item in now.items] and all(
        other is last[other.name] or _text(data, item.value) == _text(new, other.value)
        for item, other in zip(kept, now.items, strict=True)
    )


def _text(data: bytes, span: Span) -> bytes:
    return data[span.start : span.end]
