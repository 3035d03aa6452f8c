"""Looks up paths step by step, so that a walk through a value finds them in linear time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from statefmt.model.cty.comparable import comparable_key
from statefmt.model.cty.data import CtyValue
from statefmt.model.cty.number import Number
from statefmt.model.cty.steps import GetAttr, Path, PathIndex, PathStep
from statefmt.model.cty.types import NUMBER

T = TypeVar("T")


class PathTree(Generic[T]):
    """What belongs to paths, as a tree of their steps. `found` is what belongs to the path that leads here."""

    __slots__ = ("_children", "found")

    def __init__(self, entries: Iterable[tuple[Path, T]] = ()) -> None:
        self.found: list[T] = []
        self._children: dict[Hashable, PathTree[T]] = {}
        for path, item in entries:
            node = self
            for step in path:
                node = node._children.setdefault(step_identity(step), PathTree())
            node.found.append(item)

    def child(self, step: PathStep) -> PathTree[T] | None:
        """Return the tree below a step; None if no path goes there."""
        return self._children.get(step_identity(step)) if self._children else None

    def everything(self) -> Iterator[T]:
        """Yield what belongs to this path and to all below."""
        yield from self.found
        for below in self._children.values():
            yield from below.everything()


def index_step(key: str | int | CtyValue) -> PathIndex:
    """Return the step to a part by its key, as elements() yields it; strings and whole numbers are keys themselves."""
    if isinstance(key, CtyValue):
        if isinstance(key.data, str):
            return PathIndex(key.data)
        whole = key.data.small_integer() if isinstance(key.data, Number) else None
        if whole is not None and key.type == NUMBER:
            return PathIndex(whole)
    return PathIndex(key)


def path_key(path: Path) -> Hashable:
    """Return what equals the same of other paths exactly if they are the same."""
    return tuple(map(step_identity, path))


def step_identity(step: PathStep) -> Hashable:
    """Return what equals the same of another step exactly if they are the same."""
    if isinstance(step, GetAttr):
        return GetAttr, step.name
    key = index_step(step.key).key
    return (key.type, comparable_key(key.data, key.type)) if isinstance(key, CtyValue) else key
