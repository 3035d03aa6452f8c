"""Explains what is wrong with a file that a user wrote, by its JSON Schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

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
    shown = [f"{_place(error.absolute_path)}{_short(error.message)}" for error in found[:_MOST]]
    if len(found) > _MOST:
        shown.append(f"and {len(found) - _MOST} more problems")
    return "; ".join(shown) or otherwise.replace("`", "")


def _short(message: str) -> str:
    """A message without the middle of a long value that it quotes."""
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST // 2]}…{message[-_LONGEST // 2 :]}"


def _place(path: Sequence[str | int]) -> str:
    steps = [step if isinstance(step, str) and step.replace("-", "").isidentifier() else repr(step) for step in path]
    return f"{'.'.join(steps)}: " if steps else ""
