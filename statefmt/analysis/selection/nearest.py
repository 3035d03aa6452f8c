"""What was probably meant: the texts nearest to one that fits nothing."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from heapq import nlargest
from typing import Final

_MOST: Final = 3
# difflib takes a tenth of a millisecond and more for each text, and a state has tens of thousands.
_COMPARED: Final = 300
_LENGTH: Final = 3


def nearest(text: str, known: Iterable[str]) -> list[str]:
    """The few texts that are most like `text`, the best one first; none where nothing is like it."""
    # Far longer texts can't be near, and far longer keys would take far longer to compare.
    candidates = {other for other in known if len(other) <= 3 * len(text) + 16}
    if len(candidates) > _COMPARED:
        wanted = _parts(text)
        candidates = set(nlargest(_COMPARED, candidates, key=lambda other: (len(wanted & _parts(other)), other)))
    return get_close_matches(text, sorted(candidates), n=_MOST)


def suggestion(text: str, known: Iterable[str]) -> str:
    """The end of a message that nothing fits `text`: the nearest, each on a line of its own."""
    near = nearest(text, known)
    return "; the nearest are:" + "".join(f"\n  {other}" for other in near) if near else ""


def _parts(text: str) -> set[str]:
    """All runs of three characters: texts that are near have many in common."""
    return {text[pos : pos + _LENGTH] for pos in range(max(1, len(text) - _LENGTH + 1))}
