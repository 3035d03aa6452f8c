"""The bodies of files and blocks, for both native syntax and JSON: attributes by name, blocks by type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

from statefmt.hcl.source.position import Range
from statefmt.hcl.syntax.expressions import Expression


class Argument(msgspec.Struct, frozen=True):
    """`name = expression`, with the range of the name and of the whole."""

    name: str
    expression: Expression
    name_range: Range
    range: Range


class Block(msgspec.Struct, frozen=True):
    """`type "label" … { body }`. `range` is the header; `body_range` goes from brace to brace."""

    type: str
    labels: tuple[str, ...]
    type_range: Range
    label_ranges: tuple[Range, ...]
    range: Range
    body_range: Range
    body: Body


class Body(Protocol):
    """The content of a block or a file. In JSON, only the caller's request tells an attribute from a block."""

    def names(self) -> Sequence[str]:
        """Return the names of all attributes (in JSON: of all members) in source order."""
        ...

    def attribute(self, name: str, *, literal: bool = False) -> Argument | None:
        """Return the attribute, if any. With `literal`, JSON strings are not parsed as templates."""
        ...

    def block_types(self) -> Sequence[str]:
        """Return the types of all blocks; none in JSON, where any member may be a block."""
        ...

    def blocks(self, type_: str, labels: int = 0) -> Sequence[Block]:
        """Return the blocks of this type with so many labels; report and omit others."""
        ...

    def functions(self) -> Iterator[tuple[str, Range]]:
        """Yield the name of each function call, with its range, in the body and in all blocks in it."""
        ...


class MergedBody:
    """A body with overrides: attributes of `over` replace those of `base`, its blocks all blocks of the same type."""

    def __init__(self, base: Body, over: Body, keep: frozenset[str] = frozenset()) -> None:
        self._base = base
        self._over = over
        self._keep = keep  # attributes that `over` cannot change

    def names(self) -> Sequence[str]:
        return tuple(dict.fromkeys((*self._base.names(), *self._over.names())))

    def attribute(self, name: str, *, literal: bool = False) -> Argument | None:
        if name in self._keep:
            return self._base.attribute(name, literal=literal)
        return self._over.attribute(name, literal=literal) or self._base.attribute(name, literal=literal)

    def block_types(self) -> Sequence[str]:
        return tuple(dict.fromkeys((*self._base.block_types(), *self._over.block_types())))

    def blocks(self, type_: str, labels: int = 0) -> Sequence[Block]:
        return self._over.blocks(type_, labels) or self._base.blocks(type_, labels)

    def functions(self) -> Iterator[tuple[str, Range]]:
        yield from self._base.functions()
        yield from self._over.functions()
