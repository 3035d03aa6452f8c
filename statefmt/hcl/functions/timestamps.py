"""Parses and formats timestamps: RFC 3339, and YAML's looser form. Source: go-cty `stdlib/datetime.go`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, NamedTuple

_EXACT: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_LOOSE: Final = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d)))"
    r"|(?: (\d\d?):(\d\d?):(\d\d?)(?:[.,](\d+))?))?",
    re.ASCII,
)
_NANOSECONDS: Final = 1_000_000_000


class Time(NamedTuple):
    """A point in time to the second, in its original zone, and the nanoseconds after it."""

    seconds: datetime
    nanoseconds: int

    @property
    def instant(self) -> tuple[datetime, int]:
        """The key for comparisons."""
        return self.seconds.astimezone(UTC), self.nanoseconds


def exact_time(value: str) -> Time | None:
    """Parse an RFC 3339 timestamp; None for any other string."""
    match = _EXACT.fullmatch(value)
    return None if match is None else _time(match.groups())


def loose_time(value: str) -> Time | None:
    """Parse a YAML timestamp, which may lack digits, the time of day or the zone; None for any other string."""
    match = _LOOSE.fullmatch(value)
    if match is None:
        return None
    groups = match.groups()
    if groups[10] is not None:
        return _time((*groups[:3], *groups[10:14], None, None, None))
    return _time(groups[:10])


def _time(groups: tuple[str | None, ...]) -> Time | None:
    year, month, day, hour, minute, second = (int(group or 0) for group in groups[:6])
    fraction = int((groups[6] or "0")[:9].ljust(9, "0"))
    sign, hours, minutes = groups[7], int(groups[8] or 0), int(groups[9] or 0)
    if hours > 24 or minutes > 60:
        return None
    zone = UTC if sign is None else timezone((-1 if sign == "-" else 1) * timedelta(hours=hours, minutes=minutes))
    try:
        return Time(datetime(year, month, day, hour, minute, second, tzinfo=zone), fraction)
    except (ValueError, OverflowError):
        return None


def format_time(time: Time) -> str:
    """Format a time by RFC 3339, without fractions of a second."""
    at = time.seconds
    return f"{at.year:04}-{at.month:02}-{at.day:02}T{at.hour:02}:{at.minute:02}:{at.second:02}{zone_of(at) or 'Z'}"


def zone_of(at: datetime, colon: str = ":") -> str:
    """Return the zone as hours and minutes, `+05:30`; empty for UTC."""
    offset = at.utcoffset() or timedelta()
    minutes = round(offset.total_seconds()) // 60
    if not minutes:
        return ""
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{colon}{abs(minutes) % 60:02}"


def later(time: Time, nanoseconds: int) -> Time:
    """Return the time `nanoseconds` later. Raises OverflowError."""
    total = time.nanoseconds + nanoseconds
    return Time(time.seconds + timedelta(seconds=total // _NANOSECONDS), total % _NANOSECONDS)
