"""Functions on timestamps in RFC 3339; parses YAML's looser form, too.

Sources: go-cty `stdlib/datetime.go`; OpenTofu `funcs/datetime.go`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from typing import Final, NamedTuple

from statefmt.hcl.functions.registry import FunctionError, Parameter, function, text_of
from statefmt.hcl.value import Part, number, text
from statefmt.model.cty import NUMBER, STRING

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
# An int64 has no more digits.
_MOST_DIGITS: Final = 19
_AMOUNT: Final = re.compile(r"(\d++\.?\d*+|\.\d++)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_VERB: Final = re.compile(r"'((?:[^']|'')*)'|(([A-Za-z])\3*)|([^A-Za-z']+)|(')", re.DOTALL)
_TIME: Final = Parameter("timestamp", STRING)


def _time(part: Part, argument: int) -> Time:
    found = exact_time(text_of(part))
    if found is None:
        raise FunctionError("not a valid RFC3339 timestamp", argument)
    return found


@function(_TIME, Parameter("duration", STRING), returns=STRING)
def timeadd(time: Part, duration: Part) -> Part:
    start = _time(time, 0)
    try:
        return text(format_time(later(start, _duration(text_of(duration)))))
    except OverflowError:
        raise FunctionError("the result is out of range", 1) from None


def _duration(value: str) -> int:
    """Parse a duration such as `-1h30m` to nanoseconds. Raises FunctionError."""
    amounts = value.lstrip("+-") if value[:1] in ("+", "-") and value[1:2] not in ("+", "-") else value
    if amounts == "0":
        return 0
    found = [_AMOUNT.match(amounts)]
    while (last := found[-1]) is not None and last.end() < len(amounts):
        found.append(_AMOUNT.match(amounts, last.end()))
    total = 0
    for amount in found:
        if amount is None:
            raise FunctionError(f'time: invalid duration "{value}"', 1)
        whole, _, fraction = amount[1].partition(".")
        if len(whole.lstrip("0")) > _MOST_DIGITS:
            raise FunctionError(f'time: invalid duration "{value}"', 1)
        # Go, too, drops the digits of a fraction that do not fit into an int64.
        total += int(Fraction(f"{whole.lstrip('0') or '0'}.{fraction[:_MOST_DIGITS] or '0'}") * _UNITS[amount[2]])
    if total >= 1 << 63:
        raise FunctionError(f'time: invalid duration "{value}"', 1)
    return -total if value.startswith("-") else total


@function(Parameter("timestamp_a", STRING), Parameter("timestamp_b", STRING), returns=NUMBER)
def timecmp(one: Part, other: Part) -> Part:
    left, right = _time(one, 0).instant, _time(other, 1).instant
    return number((left > right) - (left < right))


@function(Parameter("format", STRING), Parameter("time", STRING), returns=STRING)
def formatdate(pattern: Part, time: Part) -> Part:
    at = _time(time, 1).seconds
    found: list[str] = []
    for piece in _VERB.finditer(text_of(pattern)):
        quoted, verb, _, other, loose = piece.groups()
        if loose:
            raise FunctionError("unterminated literal '", 0)
        if verb:
            found.append(_written(verb, at))
        else:
            found.append(other or quoted.replace("''", "'"))
    return text("".join(found))


def _written(verb: str, at: datetime) -> str:
    hour = at.hour % 12 or 12
    known = {
        "M": str(at.month),
        "MM": f"{at.month:02}",
        "MMM": _MONTHS[at.month - 1][:3],
        "MMMM": _MONTHS[at.month - 1],
        "D": str(at.day),
        "DD": f"{at.day:02}",
        "EEE": _DAYS[at.weekday()][:3],
        "EEEE": _DAYS[at.weekday()],
        "YY": f"{at.year % 100:02}",
        "YYYY": f"{at.year:04}",
        "h": str(at.hour),
        "hh": f"{at.hour:02}",
        "H": str(hour),
        "HH": f"{hour:02}",
        "AA": "PM" if at.hour >= 12 else "AM",
        "aa": "pm" if at.hour >= 12 else "am",
        "m": str(at.minute),
        "mm": f"{at.minute:02}",
        "s": str(at.second),
        "ss": f"{at.second:02}",
        "Z": zone_of(at) or "Z",
        "ZZZ": zone_of(at, "") or "UTC",
        "ZZZZ": zone_of(at, "") or "+0000",
        "ZZZZZ": zone_of(at) or "+00:00",
    }
    if verb not in known:
        raise FunctionError(f"invalid date format verb {verb!r}", 0)
    return known[verb]


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
    return None if match is None else _time_of_groups(match.groups())


def loose_time(value: str) -> Time | None:
    """Parse a YAML timestamp, which may lack digits, the time of day or the zone; None for any other string."""
    match = _LOOSE.fullmatch(value)
    if match is None:
        return None
    groups = match.groups()
    if groups[10] is not None:
        return _time_of_groups((*groups[:3], *groups[10:14], None, None, None))
    return _time_of_groups(groups[:10])


def _time_of_groups(groups: tuple[str | None, ...]) -> Time | None:
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
