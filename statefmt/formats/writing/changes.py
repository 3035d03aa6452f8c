"""Changes single members and elements of a JSON text, and keeps all other bytes.

Needs no snapshot, so it also edits states that cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from statefmt.formats import style_of
from statefmt.formats.raw_json import Container, RawItem, container_at, value_at
from statefmt.formats.writing.assemble import Assembler, Entry
from statefmt.golang import fold_name
from statefmt.pieces import Pieces, Span, joined, merged

# The tokens of a JSON pointer, unescaped.
JsonPath: TypeAlias = tuple[str, ...]
# The new text of each changed part, None to remove it. A last token that starts with "-" appends an element.
Changes: TypeAlias = Mapping[JsonPath, bytes | None]

_INSTANCE: Final = ("index_key", "status", "deposed", "provider", "schema_version")
_RESOURCE: Final = ("module", "mode", "type", "name", "each", "provider", "instances")
_STATE: Final = ("version", "terraform_version", "serial", "lineage", "outputs", "resources", "check_results")


class MovedText(bytes):
    """The new text of a part that moved from another part, `source`."""

    source: JsonPath

    def __new__(cls, text: bytes, source: JsonPath) -> MovedText:
        moved = super().__new__(cls, text)
        moved.source = source
        return moved


class _Node:
    """A part with its new text, or with changes below it."""

    __slots__ = ("below", "is_leaf", "text")

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.is_leaf = False
        self.text: bytes | None = None


def changed(data: bytes, changes: Changes) -> bytes:
    """Return the text with the changes made; the parent of each must exist. Raises KeyError if one does not.

    A name means the last member with it, exactly or else ignoring case, as in Go; removing it removes its duplicates.
    """
    root = _Node()
    for path, text in changes.items():
        node = root
        for name in path:
            node = node.below.setdefault(name, _Node())
        node.is_leaf, node.text = True, text
    top = value_at(data)
    pieces = _Rewriter(data).value(top, root, ())
    return joined(data, merged([Span(0, top.start), *pieces, Span(top.end, len(data))]))


class NamedItems:
    """The members of an object by name: the last with a name counts, exactly or else ignoring case, as in Go."""

    def __init__(self, container: Container | None) -> None:
        items = container.items if container else ()
        self._exact = {item.name: item for item in items}
        self._folded = {fold_name(item.name): item for item in items}

    def find(self, name: str) -> RawItem | None:
        """Return the member with a name; None if it is missing."""
        return self._exact.get(name) or self._folded.get(fold_name(name))


class _Rewriter:
    """A rewriter of the values of one text."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._write = Assembler(data, style_of(data).layout)

    def value(self, span: Span, node: _Node, path: JsonPath) -> Pieces:
        if node.is_leaf:
            return [node.text or b"null"]
        opening = self._data[span.start : span.start + 1]
        if opening == b"[":
            return self._array(container_at(self._data, span.start, span.end), node, path)
        # Go reads null as an object without members.
        container = container_at(self._data, span.start, span.end) if opening == b"{" else None
        return self._object(container, node, path)

    def _object(self, container: Container | None, node: _Node, path: JsonPath) -> Pieces:
        order, named = _order(path), NamedItems(container)
        edited: dict[str, Pieces | None] = {}
        for name, below in node.below.items():
            item = named.find(name)
            folded = fold_name(name)
            field = folded if folded in order else name if item is None else item.name
            if below.is_leaf:
                edited[field] = None if below.text is None else [below.text]
            elif item is None:
                raise KeyError(name)
            else:
                edited[field] = self.value(item.value, below, (*path, name))
        return self._write.edited(container, edited, order, len(path) + 1)

    def _array(self, container: Container, node: _Node, path: JsonPath) -> Pieces:
        entries: list[Entry[None]] = []
        for number, item in enumerate(container.items):
            below = node.below.get(str(number))
            if below is None:
                entries.append(Entry(None, item, [item.whole]))
            elif not below.is_leaf:
                entries.append(Entry(None, item, self.value(item.value, below, (*path, str(number)))))
            elif below.text is not None:
                entries.append(Entry(None, item, [below.text]))
        for name, below in node.below.items():
            if name.startswith("-"):
                entries.append(Entry(None, None, [below.text or b"null"]))
            elif int(name) >= len(container.items):
                raise KeyError(name)
        return self._write.array(container, entries, len(path) + 1)


def _order(path: JsonPath) -> tuple[str, ...]:
    """Return the order of the members of a known object of version 4, for new ones."""
    if not path:
        return _STATE
    if path[0] != "resources":
        return ()
    return {2: _RESOURCE, 4: _INSTANCE}.get(len(path), ())
