"""Assembles edited objects, arrays and values in the file's own style and order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from msgspec import Raw

from statefmt.formats import Layout
from statefmt.formats.raw_json import Container, RawItem, container_at
from statefmt.formats.writing import Tree, encode_tree
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

        A new member comes after the members that precede it in `order`.
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
    """Return the known member for a name in the file: Go ignores the case of names."""
    return name if name in places or fold_name(name) not in places else fold_name(name)


def _place(entries: Sequence[Entry[str]], field: str, places: Mapping[str, int]) -> int:
    """Return the index for a new member: after the last member that precedes it in the order."""
    place = places.get(field)
    if place is None:
        return len(entries)
    earlier = (number + 1 for number, entry in enumerate(entries) if places.get(entry.subject, place) < place)
    return max(earlier, default=0)


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


def arranged(
    items: Sequence[RawItem],
    was: Callable[[int], _S],
    edited: Mapping[int, Entry[_S] | None],
    arriving: Sequence[Entry[_S]],
    order: Callable[[_S], Any],
    is_canonical: Callable[[], bool],
) -> list[Entry[_S]]:
    """Return the entries of an array. `was` gives the subject of an old element, `edited` the new entries of some.

    An entry is None if its element is removed. A new entry goes before the first element that sorts after it. An
    element that now sorts elsewhere moves in a canonical file, to keep it canonical, and keeps its place in any other
    file. Unchanged neighbours share an entry.
    """
    moving = {
        number: entry
        for number, entry in edited.items()
        if entry is not None and was(number) is not entry.subject and order(was(number)) != order(entry.subject)
    }
    if moving and not is_canonical():
        moving = {}
    elements = _Elements(items, was, {**edited, **dict.fromkeys(moving)} if moving else edited)
    entries: list[Entry[_S]] = []
    done = 0
    for placed in sorted([*arriving, *moving.values()], key=lambda entry: order(entry.subject)):
        place = elements.first_after(order(placed.subject), done, order)
        entries += [*elements.entries(done, place), placed]
        done = place
    return [*entries, *elements.entries(done, len(items))]


class _Elements(Generic[_S]):
    """The elements of an array in the file, and the new entries of `changed` elements, None if removed."""

    def __init__(
        self, items: Sequence[RawItem], was: Callable[[int], _S], changed: Mapping[int, Entry[_S] | None]
    ) -> None:
        self._items = items
        self._was = was
        self._changed = changed
        self._numbers = sorted(changed)

    def first_after(self, key: Any, start: int, order: Callable[[_S], Any]) -> int:
        """Return the index of the first remaining element from `start` on that sorts after `key`."""
        for number in range(start, len(self._items)):
            if number not in self._changed:
                subject = self._was(number)
            elif (entry := self._changed[number]) is not None:
                subject = entry.subject
            else:
                continue
            if order(subject) > key:
                return number
        return len(self._items)

    def entries(self, start: int, end: int) -> Iterator[Entry[_S]]:
        """Yield the entries of some elements; unchanged neighbours share an entry."""
        numbers = self._numbers
        for number in numbers[bisect_left(numbers, start) : bisect_left(numbers, end)]:
            yield from self._kept(start, number)
            if (entry := self._changed[number]) is not None:
                yield entry
            start = number + 1
        yield from self._kept(start, end)

    def _kept(self, start: int, end: int) -> Iterator[Entry[_S]]:
        if start < end:
            first = self._items[start]
            yield Entry(self._was(start), first, [Span(first.whole.start, self._items[end - 1].whole.end)])
