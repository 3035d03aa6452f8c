"""Assembles an edited object or array in the file's own style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from statefmt.formats.raw_json.spans import Container, RawItem
from statefmt.formats.style import Layout
from statefmt.formats.writing.tree import Tree, encode_tree
from statefmt.golang import compact, encode_string, escape_html, fold_name, indent
from statefmt.pieces import Pieces, Span

_S = TypeVar("_S")


class Entry(NamedTuple, Generic[_S]):
    """A part of a new array or object: its subject, its old item in the file (if any), and its content."""

    subject: _S
    item: RawItem | None
    content: Pieces


class Assembler:
    """A builder of new text for the file `data`, in its `layout`."""

    def __init__(self, data: bytes, layout: Layout) -> None:
        self._data = data
        self._layout = layout

    def text(self, tree: Tree, depth: int) -> bytes:
        """Return the text of a value in an object or array that is nested `depth` levels deep."""
        text = escape_html(encode_tree(tree))
        if self._layout is Layout.COMPACT:
            return compact(text)
        return indent(text).replace(b"\n", b"\n" + b"  " * depth)

    def edited(
        self, container: Container | None, edited: Mapping[str, Pieces | None], order: Sequence[str], depth: int
    ) -> Pieces:
        """Return an object with some members changed (or removed, if None), and all others as in the file.

        A member that the file does not have comes after those that precede it in `order`.
        """
        items = container.items if container else ()
        places = {name: place for place, name in enumerate(order)}
        last = {_field(item.name, places): number for number, item in enumerate(items)}
        entries: list[Entry[str]] = []
        for number, item in enumerate(items):
            field = _field(item.name, places)
            if field not in edited:
                entries.append(Entry(field, item, [item.whole]))
                continue
            content = edited[field]
            if content is not None:
                # Only the last of duplicate members counts.
                value = content if last[field] == number else [item.value]
                entries.append(Entry(field, item, [Span(item.whole.start, item.value.start), *value]))
        for field, content in edited.items():
            if content is not None and field not in last:
                name = encode_string(field) + (b": " if self._layout is Layout.INDENT else b":")
                entries.insert(_place(entries, field, places), Entry(field, None, [name, *content]))
        return self._bracketed(container, entries, depth, b"{}")

    def array(self, container: Container | None, entries: Sequence[Entry[_S]], depth: int) -> Pieces:
        """Return an array of the given entries."""
        return self._bracketed(container, entries, depth, b"[]")

    def _bracketed(
        self, container: Container | None, entries: Sequence[Entry[_S]], depth: int, brackets: bytes
    ) -> Pieces:
        if not entries:
            return [brackets]
        items = container.items if container else ()
        lead = self._data[items[0].before.start : items[0].before.end] if items else self._line(depth)
        after = (
            self._data[container.after.start : container.after.end] if container and items else self._line(depth - 1)
        )
        pieces: Pieces = [brackets[:1]]
        for number, (_, item, content) in enumerate(entries):
            if number == 0:
                pieces.append(lead)
            elif item is not None and item.before != items[0].before:
                pieces.append(item.before)
            else:
                pieces.append(b"," + lead)
            pieces += content
        return [*pieces, after, brackets[1:]]

    def _line(self, depth: int) -> bytes:
        return b"\n" + b"  " * depth if self._layout is Layout.INDENT else b""


def _field(name: str, places: Mapping[str, int]) -> str:
    """Return the member that a name in the file means: Go ignores the case of names."""
    return name if name in places or fold_name(name) not in places else fold_name(name)


def _place(entries: Sequence[Entry[str]], field: str, places: Mapping[str, int]) -> int:
    """Return the index for a new member: after the last one that precedes it in the order."""
    place = places.get(field)
    if place is None:
        return len(entries)
    earlier = (number + 1 for number, entry in enumerate(entries) if places.get(entry.subject, place) < place)
    return max(earlier, default=0)
