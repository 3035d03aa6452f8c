"""Finds the places at which two plain values differ: walks objects and sets, and leaves arrays to deepdiff."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from statefmt.analysis.diff.plain import Plain, equal_values

ValueSteps: TypeAlias = tuple[str | int, ...]


class ValuePlace(NamedTuple):
    """A place where values differ, and the sides that have a value there; `element` is one of the set at `steps`."""

    steps: ValueSteps
    on_old: bool = True
    on_new: bool = True
    element: str | None = None


def places(old: Plain, new: Plain, steps: ValueSteps = ()) -> Iterator[ValuePlace]:
    """Yield the innermost places at which two values differ; `steps` lead to the two.

    Nearly all of a large object is equal, and deepdiff makes a record of every value that it visits, so it only gets
    the arrays that differ. Raises RecursionError for values that are nested too deeply.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            if name in old and name in new:
                yield from places(old[name], new[name], (*steps, name))
            else:
                yield ValuePlace((*steps, name), name in old, name in new)
    elif isinstance(old, frozenset) and isinstance(new, frozenset):
        yield from (ValuePlace(steps, on_new=False, element=item) for item in old - new)
        yield from (ValuePlace(steps, on_old=False, element=item) for item in new - old)
    elif not equal_values(old, new):
        if isinstance(old, list) and isinstance(new, list):
            yield from _in_arrays(old, new, steps)
        else:
            yield ValuePlace(steps)


def _in_arrays(old: list[Plain], new: list[Plain], steps: ValueSteps) -> Iterator[ValuePlace]:
    from deepdiff import DeepDiff

    tree: Any = DeepDiff(old, new, view="tree", threshold_to_diff_deeper=0, verbose_level=2)
    for kind, items in tree.items():
        on_old, on_new = not kind.endswith("_added"), not kind.endswith("_removed")
        for item in items:
            is_element = kind.startswith("set_item")
            inside = (item.up if is_element else item).path(output_format="list")
            element = (item.t1 if on_old else item.t2) if is_element else None
            yield ValuePlace((*steps, *inside), on_old, on_new, element)
