"""A body with another one of an override file laid over it. Source: OpenTofu `internal/configs/module_merge.go`."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.hcl.syntax.body import Argument, Block, Body


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
