"""Moves marks between values and lists of paths."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from statefmt.model.cty.data import CtyValue
from statefmt.model.cty.parts import elements, marked, marks, set_of, unmarked, unmarked_deep
from statefmt.model.cty.path_tree import PathTree, index_step
from statefmt.model.cty.steps import GetAttr, Path, PathStep
from statefmt.model.cty.types import ObjectType, SetType


class PathMarks(Struct, frozen=True):
    """The marks of the part of a value to which a path leads."""

    path: Path
    marks: frozenset[str]


def split_marks(value: CtyValue) -> tuple[CtyValue, tuple[PathMarks, ...]]:
    """Return the value without marks at any depth, and where the marks were, from the outside in.

    Source: go-cty `UnmarkDeepWithPaths`.
    """
    found: list[PathMarks] = []
    _collect(value, (), found)
    return unmarked_deep(value) if found else value, tuple(found)


def with_path_marks(value: CtyValue, more: Iterable[PathMarks]) -> CtyValue:
    """Return the value with marks added to the parts that paths lead to; other paths are passed over.

    Marks within an element of a set become marks of the set. Source: go-cty `MarkWithPaths`.
    """
    return _apply(value, PathTree((each.path, each.marks) for each in more))


def steps(value: CtyValue) -> Iterable[tuple[PathStep, CtyValue]]:
    """Yield the parts of a value that is neither null nor unknown, each with the step to it; sets by their elements.

    Primitive values have none. The marks of the whole are left out.
    """
    whole = unmarked(value)
    if not isinstance(whole.data, (tuple, dict)):
        return
    is_object = isinstance(value.type, ObjectType)
    for key, part in elements(whole):
        yield (GetAttr(key) if is_object and isinstance(key, str) else index_step(key)), part


def _collect(value: CtyValue, path: Path, found: list[PathMarks]) -> None:
    own = marks(value)
    if own:
        found.append(PathMarks(path, own))
    for step, part in steps(value):
        _collect(part, (*path, step), found)


def _apply(value: CtyValue, tree: PathTree[frozenset[str]]) -> CtyValue:
    whole = unmarked(value)
    parts: list[CtyValue] = []
    for step, part in steps(whole):
        below = tree.child(step)
        parts.append(part if below is None else _apply(part, below))
    if isinstance(value.type, SetType):
        whole = set_of(parts, value.type.element) if parts else whole
    elif isinstance(whole.data, tuple):
        whole = CtyValue(value.type, tuple(part.data for part in parts))
    elif isinstance(whole.data, dict):
        data = {name: part.data for name, part in zip(sorted(whole.data), parts, strict=True)}
        whole = CtyValue(value.type, data)
    return marked(whole, marks(value).union(*tree.found))
