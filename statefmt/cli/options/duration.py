"""Parses the durations and ages that options take."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from typer import BadParameter

from statefmt.text import pattern

_PART: Final = pattern(r"([0-9]+(?:\.[0-9]+)?)([a-z]*)")
_SECONDS: Final = {"w": 604_800.0, "d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "": 1.0}


class Notation(NamedTuple):
    """What an option takes: its name in messages, examples, and the units; "" is a number without a unit.

    Units are not shared: `30m` is a timeout, but might be 30 months as an age of what is deleted.
    """

    what: str
    examples: str
    units: frozenset[str]
    is_single: bool = False


# Go's notation, which OpenTofu takes.
TIMEOUT: Final = Notation("a duration", "10s, 500ms or 1m30s", frozenset(("h", "m", "s", "ms", "")))
AGE: Final = Notation("an age", "12h, 30d or 8w", frozenset("hdw"), is_single=True)
# In seconds, about 190 years: an age must stay a date, and an infinite timeout cannot be waited for.
_LONGEST: Final = 9999 * _SECONDS["w"]


def seconds(text: str, option: str, notation: Notation = TIMEOUT) -> float:
    """Convert a duration to seconds. Raises BadParameter for `option` if the notation does not have it."""
    parts = _PART.findall(text)
    is_valid = bool(parts) and not _PART.sub("", text) and all(unit in notation.units for _, unit in parts)
    if notation.is_single and (len(parts) != 1 or not parts[0][0].isdigit()):
        is_valid = False
    found = math.fsum(float(number) * _SECONDS[unit] for number, unit in parts) if is_valid else math.inf
    if found > _LONGEST:
        raise BadParameter(f"{text!r} is not {notation.what}: write {notation.examples}", param_hint=option)
    return found
