"""The bodies of files and blocks, the same for native syntax and JSON: attributes by name, blocks by type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from statefmt.hcl.source.position import Range
from statefmt.hcl.syntax.expressions import Expression


class Argument(msgspec.Struct, frozen=True):
    """`name = expression`, with the place of the name and of the whole."""

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
    """What stands between braces, or all of a file. What it has is asked for, since JSON only then knows what it is."""

    def names(self) -> Sequence[str]:
        """The names of all attributes (in JSON of all members), in the order of the text."""
        ...

    def attribute(self, name: str, *, literal: bool = False) -> Argument | None:
        """The attribute of this name. With `literal` strings of JSON are no templates, as where nothing is known."""
        ...

    def block_types(self) -> Sequence[str]:
        """The types of all blocks that are known to be blocks: in JSON none, since any member may be one."""
        ...

    def blocks(self, type_: str, labels: int = 0) -> Sequence[Block]:
        """The blocks of this type, which have as many labels; others are a problem and left out."""
        ...


class MergedBody:
    """Attributes of `over` count before those of `base`; of a type of nested blocks, those of `over` if it has any."""

    def __init__(self, base: Body, over: Body, keep: frozenset[str] = frozenset()) -> None:
        self._base = base
        self._over = over
        self._keep = keep  # what an override file cannot change

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
