"""Matches the wildcards of tfmigrate's `xmv`: each `*` is any characters, as many as fit, across modules and keys.

Source: tfmigrate `tfmigrate/xmv_expander.go`, Go `regexp` (Expand).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from statefmt.model.errors import SurgeryError
from statefmt.text import pattern

WILDCARD: Final = "*"
_PLACE: Final = pattern(r"\$(?:(\$)|(\w+)|\{(\w+)\})")


class WildcardMatch(NamedTuple):
    """The part of an address that a pattern matches, where it starts, and what its wildcards match."""

    text: str
    start: int
    values: tuple[str, ...]


def matched(source: str, address: str) -> WildcardMatch | None:
    """Return what a pattern matches in an address, as a regular expression that is not anchored does.

    The first part is found as far left as possible, and each wildcard takes all that the rest does not need.
    """
    first, *rest = source.split(WILDCARD)
    start = address.find(first)
    if start < 0:
        return None
    limit, ends, starts = len(address), list[int](), list[int]()
    for part in reversed(rest):
        place = address.rfind(part, start + len(first), limit)
        if place < 0:
            return None
        starts.insert(0, place)
        ends.insert(0, place + len(part))
        limit = place
    begins = [start + len(first), *ends]
    values = tuple(address[one:other] for one, other in zip(begins, starts, strict=False))
    end = ends[-1] if ends else begins[0]
    return WildcardMatch(address[start:end], start, values)


def filled(target: str, found: WildcardMatch) -> str:
    """Fill in `$1`, `${1}`… in a destination. Raises SurgeryError for a name that is not a wildcard of the source."""

    def value(place: re.Match[str]) -> str:
        dollar, plain, braced = place.groups()
        name = plain or braced
        if dollar:
            return "$"
        values: Sequence[str] = (found.text, *found.values)
        if not (name.isdecimal() and int(name) < len(values)):
            raise SurgeryError(
                f"{target}: ${name} is not a wildcard of the source, and tfmigrate makes it empty; write "
                "$${{1}} before letters and digits"
            )
        return values[int(name)]

    return str(_PLACE.sub(value, target))
