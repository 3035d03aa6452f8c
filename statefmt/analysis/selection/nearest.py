"""Suggests the names nearest to one that matches nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

_MOST: Final = 3
# difflib takes a tenth of a millisecond or more for each string, and a state has tens of thousands.
_COMPARED: Final = 300
_LENGTH: Final = 3
# If no name is near, list at most so many.
_LISTED: Final = 10


def nearest(text: str, known: Iterable[str]) -> list[str]:
    """Return the few strings most similar to `text`, best first; empty if none is similar."""
    # Imported late: nearly everything that is looked for is there.
    from difflib import get_close_matches
    from heapq import nlargest

    # Much longer strings cannot be similar, and comparing long keys takes much longer.
    candidates = {other for other in known if len(other) <= 3 * len(text) + 16}
    if len(candidates) > _COMPARED:
        wanted = _parts(text)
        candidates = set(nlargest(_COMPARED, candidates, key=lambda other: (len(wanted & _parts(other)), other)))
    return get_close_matches(text, sorted(candidates), n=_MOST)


def suggestion(text: str, known: Iterable[str]) -> str:
    """Return the end of a message that nothing matches `text`: the nearest names, one per line; "" without any."""
    near = nearest(text, known)
    return "; the nearest are:" + "".join(f"\n  {other}" for other in near) if near else ""


def did_you_mean(text: str, known: Collection[str]) -> str:
    """Return the end of a message that `text` is unknown: the nearest names, else those that exist; "" if none do."""
    near = nearest(text, known)
    if len(near) == 1:
        return f"; did you mean {near[0]}?"
    more = len(known) - _LISTED
    names = near or [*sorted(known)[:_LISTED], *([f"… and {more} more"] if more > 0 else [])]
    if not names:
        return "."
    return ("; did you mean one of these:" if near else "; there are:") + "".join(f"\n  {other}" for other in names)


def _parts(text: str) -> set[str]:
    """Return all runs of three characters: similar strings have many in common."""
    return {text[pos : pos + _LENGTH] for pos in range(max(1, len(text) - _LENGTH + 1))}
