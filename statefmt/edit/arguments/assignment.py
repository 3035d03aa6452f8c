"""What `set` is told: `PATH=JSON`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from statefmt.golang import loads_exact
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.redaction.path_text import parse_path
from statefmt.text.pattern import pattern

# A path up to the first equals sign that is not in quotes.
_ASSIGNMENT: Final = pattern(r'((?:[^="]|"(?:[^"\\]|\\.)*")*)=(.*)', re.DOTALL)
_WORD: Final = pattern(r"[\w.:/@ -]+")


class Assignment(NamedTuple):
    """A path into attributes, as it was given and as steps, and the JSON text to put there, to the letter."""

    path: str
    steps: tuple[str | int, ...]
    value: bytes


def parse_assignment(text: str) -> Assignment:
    """Read `PATH=JSON`. Raises SurgeryError for what is none; the message does not repeat the value."""
    match = _ASSIGNMENT.fullmatch(text)
    if match is None:
        raise SurgeryError("no equals sign between a path and a value; write PATH=JSON")
    path = match[1].strip()
    return Assignment(path, steps_of(path), json_value(path, match[2]))


def steps_of(path: str) -> tuple[str | int, ...]:
    """The steps of a path into attributes. Raises SurgeryError for what is none."""
    try:
        return parse_path(path)
    except SelectionError as error:
        raise SurgeryError(str(error)) from error


def json_value(path: str, text: str) -> bytes:
    """The JSON text that is to stand at a path, as it was given. Raises SurgeryError for what is no JSON."""
    try:
        value = text.strip(" \t\r\n").encode()
        loads_exact(value)
    except ValueError as error:
        hint = f'; a text needs quotes: {path}="…"' if _WORD.fullmatch(text) else ""
        raise SurgeryError(f"what is to be set at {path} is no JSON{hint}") from error
    return value
