"""Durations as Go writes them, such as `1h30m`."""

from __future__ import annotations

from typing import Final

from statefmt.model.errors import StoreError
from statefmt.text.pattern import pattern

_SECONDS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}
# In characters.
_LONGEST: Final = 100
_UNIT: Final = pattern(r"([^0-9.]+)")
_WHOLE: Final = pattern(r"(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+")


def seconds_of(text: str, place: str) -> int:
    """Return a duration in seconds; a plain number is of seconds. Raises StoreError."""
    if text.isascii() and text.isdigit() and len(text) <= _LONGEST:
        return int(text)
    if len(text) > _LONGEST or _WHOLE.fullmatch(text) is None:
        raise StoreError(f"{place}: the duration {text!r} is not valid: write it like 1h30m")
    parts = _UNIT.split(text)
    return int(sum(float(number) * _SECONDS[unit] for number, unit in zip(parts[::2], parts[1::2], strict=False)))
