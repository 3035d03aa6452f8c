"""Explains what is wrong with a file that a user wrote, by its JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    # Imported when a document has problems.
    from jsonschema import ValidationError

_MOST: Final = 10
# In characters.
_LONGEST: Final = 200


def problems(schema: str, document: Any, otherwise: str) -> str:
    """Every problem in a document, with its place, on one line; `otherwise` if the schema finds none.

    `schema` is the name of the schema. A place is a dotted path, as in TOML.
    """
    # Imported late: only files that do not decode get here.
    from statefmt.schema_problems import schema_errors

    found = list(schema_errors(schema, document))
    shown = [f"{place(error.absolute_path)}{_message(error)}" for error in found[:_MOST]]
    if len(found) > _MOST:
        shown.append(f"and {len(found) - _MOST} more problems")
    return "; ".join(shown) or otherwise.replace("`", "")


def _message(error: ValidationError) -> str:
    """Return the message of a problem; for unknown keys, with the nearest names."""
    if error.validator != "additionalProperties" or not isinstance(error.schema, Mapping):
        return _short(error.message)
    known = [*error.schema.get("properties", ())]
    instance: Any = error.instance
    unknown = [name for name in instance if name not in known]
    return ", ".join(f"unknown key {_short(repr(name))}{_nearest(name, known)}" for name in unknown[:_MOST])


def _nearest(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    # TOML's keys have hyphens; people write the underscores of Python.
    near = get_close_matches(name.replace("_", "-"), known, n=1, cutoff=0.5) or get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else f" (the keys are: {', '.join(known)})"


def _short(message: str) -> str:
    """A message without the middle of a long value that it quotes."""
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST // 2]}…{message[-_LONGEST // 2 :]}"


def place(path: Sequence[str | int]) -> str:
    """Return the beginning of a message about a place in a document: its dotted path, as in TOML."""
    steps = [step if isinstance(step, str) and step.replace("-", "").isidentifier() else repr(step) for step in path]
    return f"{'.'.join(steps)}: " if steps else ""
