"""Matches module paths against patterns, in which `**` stands for any number of modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from statefmt.analysis.selection.pattern_scanner import ANY_DEPTH, PatternStep, key_test, name_test, refuse
from statefmt.model.addrs import ModuleStep

StepTest: TypeAlias = Callable[[ModuleStep], bool]
# One test for each step; None stands for any number of steps, and never follows another None.
PathPattern: TypeAlias = tuple[StepTest | None, ...]


def split_path(text: str, steps: Sequence[PatternStep]) -> tuple[PathPattern, Sequence[PatternStep]]:
    """Split a pattern into the modules that it begins with and the steps after them. Raises AddressError."""
    path: list[StepTest | None] = []
    pos = 0
    while pos < len(steps):
        step = steps[pos]
        if step.name == ANY_DEPTH:
            if step.key:
                refuse(text, step.key_column, "** cannot have a key.")
            if path[-1:] != [None]:
                path.append(None)
            pos += 1
        elif step.name == "module":
            if step.key or pos + 1 == len(steps):
                column = step.key_column
                refuse(text, column, 'Prefix "module." must be followed by a module name.')
            path.append(_module_test(text, steps[pos + 1]))
            pos += 2
        else:
            break
    return tuple(path), steps[pos:]


def _module_test(text: str, step: PatternStep) -> StepTest:
    fits_name, fits_key = name_test(text, step), key_test(text, step)
    return lambda module: fits_name(module.name) and fits_key(module.key)


def path_fits(pattern: PathPattern, steps: Iterable[ModuleStep]) -> bool:
    """Return whether a pattern matches a whole path."""
    # All possible places in the pattern after each step: no backtracking, so the time is bounded for every pattern.
    places = _with_skipped(pattern, {0})
    for step in steps:
        after = set()
        for place in places:
            if place < len(pattern):
                test = pattern[place]
                if test is None:
                    after.add(place)
                elif test(step):
                    after.add(place + 1)
        places = _with_skipped(pattern, after)
    return len(pattern) in places


def _with_skipped(pattern: PathPattern, places: set[int]) -> set[int]:
    """Return the places, and those after a `**`, which may match nothing; two `**` never follow each other."""
    return places | {place + 1 for place in places if place < len(pattern) and pattern[place] is None}
