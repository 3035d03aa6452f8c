"""Parses the arguments of `set`: `PATH=JSON`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from statefmt.golang import loads_exact
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.redaction.partial import parse_path
from statefmt.text import pattern

# A path up to the first equals sign that is not in quotes.
_ASSIGNMENT: Final = pattern(r'((?:[^="]|"(?:[^"\\]|\\.)*")*)=(.*)', re.DOTALL)
_WORD: Final = pattern(r"[\w.:/@ -]+")


class Assignment(NamedTuple):
    """A path into attributes, as given and as steps, and the exact JSON text of the new value."""

    path: str
    steps: tuple[str | int, ...]
    value: bytes


def parse_assignment(text: str) -> Assignment:
    """Parse `PATH=JSON`. Raises SurgeryError if it is invalid, without the value in the message."""
    match = _ASSIGNMENT.fullmatch(text)
    if match is None:
        raise SurgeryError("no equals sign between path and value; write PATH=JSON")
    path = match[1].strip()
    return assignment(path, match[2])


def assignment(path: str, text: str) -> Assignment:
    """Return the assignment of a JSON text to a path. Raises SurgeryError if one is invalid, without the value."""
    return Assignment(path, steps_of(path), json_value(path, text))


def steps_of(path: str) -> tuple[str | int, ...]:
    """Parse a path into attributes. Raises SurgeryError if it is invalid."""
    try:
        return parse_path(path)
    except SelectionError as error:
        raise SurgeryError(str(error)) from error


def json_value(path: str, text: str) -> bytes:
    """Return the JSON text for a path, unchanged. Raises SurgeryError if it is not valid JSON."""
    try:
        value = text.strip(" \t\r\n").encode()
        loads_exact(value)
    except ValueError as error:
        hint = f"; a string needs quotes: '{path}=\"…\"'" if _WORD.fullmatch(text) else ""
        raise SurgeryError(f"the value for {path} is not valid JSON{hint}") from error
    return value
