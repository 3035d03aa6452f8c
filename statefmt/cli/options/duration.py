"""Durations as people write them: `10s`, `1m30s`, `500ms`, or a number of seconds."""

from __future__ import annotations

from typing import Final

import typer

from statefmt.text.pattern import pattern

_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "": 1.0}
_PART: Final = pattern(r"(\d+(?:\.\d+)?)(h|ms|m|s|)")


def seconds(text: str, option: str) -> float:
    """The seconds of a duration, in the notation of Go that OpenTofu takes. Raises typer.BadParameter."""
    if not text or _PART.sub("", text):
        raise typer.BadParameter(f"{text!r} is no duration: write 10s, 500ms or 1m30s", param_hint=option)
    return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
