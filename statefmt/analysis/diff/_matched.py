"""Finds what two lists of scalars have in common, in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate
from typing import Final, TypeAlias

from statefmt.analysis.diff.plain import Plain

# A scalar with its type: true equals 1 in Python.
_Typed: TypeAlias = tuple[type, Plain]
# The most steps for each element: without a limit, the work may grow with the cube of the length.
_MOST_STEPS: Final = 1000


class _TooMuchError(Exception):
    """Two lists need too many steps."""


class _Matcher(SequenceMatcher[_Typed]):
    """A SequenceMatcher that raises _TooMuchError after too many steps."""

    def __init__(self, old: Sequence[_Typed], new: Sequence[_Typed]) -> None:
        super().__init__(None, old, new, autojunk=False)
        # An element is compared with all equal ones.
        counts = Counter(new)
        self._steps = list(accumulate((1 + counts[item] for item in old), initial=0))
        self._left = _MOST_STEPS * (len(old) + len(new))

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        self._left -= self._steps[-1 if ahi is None else ahi] - self._steps[alo]
        if self._left < 0:
            raise _TooMuchError
        return super().find_longest_match(alo, ahi, blo, bhi)


def matched(old: Sequence[Plain], new: Sequence[Plain]) -> Sequence[tuple[int, int, int, int]] | None:
    """Return the ranges of the old and of the new list that differ; None if finding them takes too many steps."""
    one, other = ([(type(item), item) for item in side] for side in (old, new))
    try:
        opcodes = _Matcher(one, other).get_opcodes()
    except _TooMuchError:
        return None
    return [opcode[1:] for opcode in opcodes if opcode[0] != "equal"]
