"""Finds objects without a counterpart that differ from another one in few attributes: candidates for ignored ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from typing import Final

from statefmt.analysis.moves._candidates import Candidate, Candidates
from statefmt.analysis.moves.proposals import NearlyEqual

# Only a value that so few destroyed objects have says which of them is near.
_FEW: Final = 4
_MOST_DIFFERENCES: Final = 3


def nearly_equal(kind: Candidates, done: Container[Candidate]) -> Iterator[NearlyEqual]:
    """Yield objects of one type that have a rare value in common, more equal attributes than others, and few others.

    Objects in `done` have a counterpart.
    """
    index: dict[tuple[str, str | bytes], list[Candidate]] = {}
    for one in kind.destroyed:
        if one not in done:
            for value in one.attributes.known({}):
                index.setdefault(value, []).append(one)
    for created in kind.created:
        if created in done:
            continue
        shared = [value for value in created.known if len(index.get(value, ())) in range(1, _FEW + 1)]
        if not created.attributes.tells(name for name, _ in shared):
            continue
        (destroyed, most), *others = Counter(one for value in shared for one in index[value]).most_common(2)
        if any(number == most for _, number in others):
            continue
        known = destroyed.attributes.known(created.unknown)
        names = tuple(sorted({name for name, _ in known ^ created.known}))
        if 0 < len(names) <= min(_MOST_DIFFERENCES, len(known & created.known)):
            yield NearlyEqual(destroyed.place, created.place, names)
