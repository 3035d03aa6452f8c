"""Compares the creation times of objects, as their providers record them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias

from statefmt.edit.repairs.loose_state import LooseState
from statefmt.formats.writing.changes import JsonPath
from statefmt.text import pattern

# Names that providers give to the time at which the real object was created.
CREATION_TIMES: Final = (
    "created_at", "create_time", "creation_time", "created_time", "time_created", "creation_date", "create_date",
    "created_date", "date_created", "creation_timestamp", "created_timestamp", "create_timestamp", "created_on",
)  # fmt: skip
_RFC_3339: Final = pattern(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)")
# In UTC, to the second; then the fraction's digits, which sort as text.
_Time: TypeAlias = tuple[datetime, str]


def newest(state: LooseState, objects: Sequence[JsonPath]) -> JsonPath | None:
    """Return the object that was created last; None unless all objects have the same attribute that says so.

    If several attributes do, they must agree.
    """
    found = set()
    for name in CREATION_TIMES:
        times = [_time(state.string((*one, "attributes", name))) for one in objects]
        known = [time for time in times if time is not None]
        if len(known) < len(objects):
            if known:
                # It is unclear what the others have.
                return None
            continue
        latest = max(known)
        if known.count(latest) > 1:
            return None
        found.add(objects[known.index(latest)])
    return found.pop() if len(found) == 1 else None


def _time(text: str) -> _Time | None:
    match = _RFC_3339.fullmatch(text)
    if match is None:
        return None
    day, time, fraction, zone = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{time}{zone.upper()}")
        return moment.astimezone(UTC), (fraction or "").rstrip("0")
    except (ValueError, OverflowError):
        return None
