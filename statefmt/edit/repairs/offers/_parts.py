"""Offers choices that fit any part: remove it, or write another value."""

from __future__ import annotations

from collections.abc import Callable

from statefmt.edit.repairs.defect import Choice
from statefmt.formats.writing.changes import Changes, JsonPath
from statefmt.golang import encode_string, loads_exact
from statefmt.model.errors import SurgeryError


def fixed(name: str, text: str, changes: Changes) -> Choice:
    """Make changes that need no value."""
    return Choice(name, text, lambda _: changes)


def removal(path: JsonPath, text: str, name: str = "remove") -> Choice:
    """Remove the part."""
    return fixed(name, text, {path: None})


def replacement(path: JsonPath, content: bytes, name: str, text: str) -> Choice:
    """Write a value that is known."""
    return fixed(name, text, {path: content})


def json_value(path: JsonPath, text: str = "write this JSON value instead") -> Choice:
    """Write a JSON value that the user gives."""
    return Choice("value", text, lambda given: {path: _json(given)}, "JSON")


def string(path: JsonPath, name: str, value: str, text: str, check: Callable[[str], object] = str) -> Choice:
    """Write a string that the user gives; `check` raises ValueError if it is not valid."""

    def changes(given: str) -> dict[JsonPath, bytes | None]:
        try:
            check(given)
        except ValueError as error:
            raise SurgeryError(f"{given!r} is not valid here: {error}") from error
        return {path: encode_string(given)}

    return Choice(name, text, changes, value)


def _json(given: str) -> bytes:
    content = given.encode()
    try:
        loads_exact(content)
    except ValueError as error:
        raise SurgeryError(f"{given!r} is not JSON: {error}") from error
    return content
