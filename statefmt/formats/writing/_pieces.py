"""Lays out trees piece by piece, each small enough for the processor's cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from statefmt.formats.style import Layout
from statefmt.formats.writing.tree import Tree, encode_tree
from statefmt.golang import compact, escape_html, indent

# The pieces of a text.
Texts: TypeAlias = Iterable[bytes]


class PieceWriter:
    """A writer of canonical text in one layout. A depth is the number of arrays and objects around a value."""

    def __init__(self, layout: Layout) -> None:
        self._is_indented = layout is Layout.INDENT

    def values(self, values: Sequence[Tree] | Mapping[str, Tree], depth: int) -> bytes:
        """Return the text between the brackets of an array or object; `depth` is that of its elements or members."""
        tree: Tree = values
        for _ in range(depth - 1):
            tree = [tree]
        text = escape_html(encode_tree(tree))
        if not self._is_indented:
            return compact(text)[depth:-depth]
        # Each bracket around the values has a line of its own: "[\n  [\n    " and "\n  ]\n]" at a depth of 2.
        return indent(text)[depth * (depth + 3) : -depth * (depth + 1)]

    def array(self, entries: Iterable[Texts], depth: int) -> Iterator[bytes]:
        """Yield an array of elements with that depth; each entry is the text of one or more of them."""
        return self._bracketed(entries, depth, b"[]")

    def object(self, entries: Iterable[Texts], depth: int) -> Iterator[bytes]:
        """Yield an object of members with that depth; each entry is the text of one or more of them."""
        return self._bracketed(entries, depth, b"{}")

    def members(self, members: Mapping[str, Tree], long: Mapping[str, Texts], depth: int) -> Iterator[Texts]:
        """Yield the entries of an object; the values of the members in `long` are given as text."""
        for name, tree in members.items():
            if name in long:
                yield self._long_member(name, long[name], depth)
            else:
                yield [self.values({name: tree}, depth)]

    def _long_member(self, name: str, texts: Texts, depth: int) -> Iterator[bytes]:
        yield self.values({name: 0}, depth)[:-1]
        yield from texts

    def _bracketed(self, entries: Iterable[Texts], depth: int, brackets: bytes) -> Iterator[bytes]:
        line, last_line = (b"\n" + b"  " * depth, b"\n" + b"  " * (depth - 1)) if self._is_indented else (b"", b"")
        lead = brackets[:1]
        for texts in entries:
            yield lead + line
            yield from texts
            lead = b","
        yield last_line + brackets[1:] if lead == b"," else brackets
