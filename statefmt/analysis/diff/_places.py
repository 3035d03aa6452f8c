"""Finds the places at which two plain values differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from statefmt.analysis.diff.plain import Plain

ValueSteps: TypeAlias = tuple[str | int, ...]


class ValuePlace(NamedTuple):
    """A place where values differ, and the sides that have a value there; `element` is one of the set at `steps`.

    `new_steps` lead to the place on the new side if that is another one, because elements before it came or went.
    """

    steps: ValueSteps
    on_old: bool = True
    on_new: bool = True
    element: str | None = None
    new_steps: ValueSteps | None = None


def places(old: Plain, new: Plain, steps: ValueSteps = ()) -> Iterator[ValuePlace]:
    """Yield the innermost places at which two values differ; `steps` lead to the two.

    Raises RecursionError for values that are nested too deeply.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            if name in old and name in new:
                yield from places(old[name], new[name], (*steps, name))
            else:
                yield ValuePlace(steps=(*steps, name), on_old=name in old, on_new=name in new)
    elif isinstance(old, frozenset) and isinstance(new, frozenset):
        yield from (ValuePlace(steps, on_new=False, element=item) for item in old - new)
        yield from (ValuePlace(steps, on_old=False, element=item) for item in new - old)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _in_lists(old, new, steps)
    elif type(old) is not type(new) or old != new:
        yield ValuePlace(steps)


def _in_lists(old: Sequence[Plain], new: Sequence[Plain], steps: ValueSteps) -> Sequence[ValuePlace]:
    """Return where two lists differ: by matching their elements if that gives fewer places, else by position."""
    by_position = list(_in_pairs(old, new, steps, 0, 0))
    if not by_position or any(isinstance(item, (list, dict, frozenset)) for side in (old, new) for item in side):
        return by_position
    # Imported late: few states have lists that differ.
    from statefmt.analysis.diff._matched import matched

    found = matched(old, new)
    if found is None:
        return by_position
    by_match = [
        place
        for start, end, new_start, new_end in found
        for place in _in_pairs(old[start:end], new[new_start:new_end], steps, start, new_start)
    ]
    return _joined(by_match) if len(by_match) < len(by_position) or len(by_match) == 1 else by_position


def _joined(found: Sequence[ValuePlace]) -> Sequence[ValuePlace]:
    """Report an element that was removed and one that was added at its position as one that changed."""
    gone = {place.steps for place in found if not place.on_new}
    both = gone.intersection(place.steps for place in found if not place.on_old)
    return [*(place for place in found if place.steps not in both), *map(ValuePlace, both)]


def _in_pairs(
    old: Sequence[Plain], new: Sequence[Plain], steps: ValueSteps, start: int, new_start: int
) -> Iterator[ValuePlace]:
    """Compare parts of two lists element by element; the parts begin at `start` and at `new_start`."""
    for number, (one, other) in enumerate(zip(old, new, strict=False)):
        if start == new_start:
            yield from places(one, other, (*steps, start + number))
        else:
            yield ValuePlace((*steps, start + number), new_steps=(*steps, new_start + number))
    for number in range(len(new), len(old)):
        yield ValuePlace((*steps, start + number), on_new=False)
    for number in range(len(old), len(new)):
        yield ValuePlace((*steps, new_start + number), on_old=False)
