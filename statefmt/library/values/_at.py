"""Looks up Python values by path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NoReturn

from statefmt.golang import JSONValue, Members
from statefmt.library.values._decode import AttributeValue
from statefmt.library.values._sensitive import Sensitive
from statefmt.model.errors import SelectionError
from statefmt.redaction.look_up import look_up
from statefmt.redaction.path_text import parse_path, path_text

# The default of a path that must exist.
REQUIRED: Final = object()


def value_at(value: AttributeValue, path: str, name: str = "") -> AttributeValue:
    """Return the part of a value at a path; `name` is what messages call the value itself.

    Raises MissingPathError with the nearest names if the path does not exist, and SelectionError if it is invalid or
    leads into a Sensitive.
    """
    steps = parse_path(path)
    for place, step in enumerate(steps):
        if isinstance(value, Sensitive):
            holder = path_text(steps[:place]) or name
            raise SelectionError(f"{path} is part of the sensitive value {holder}; call .reveal() on that")
        if isinstance(value, tuple) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        elif isinstance(value, Mapping) and str(step) in value:
            # A map key may be, or look like, the index of an element.
            value = value[str(step)]
        else:
            _refuse_missing(value, steps, place)
    return value


def _refuse_missing(value: AttributeValue, steps: Sequence[str | int], place: int) -> NoReturn:
    """Raise the MissingPathError of `show --attr` for a step that `value` does not have."""
    node: JSONValue = None if value is None else ""
    if isinstance(value, tuple):
        node = [None] * len(value)
    elif isinstance(value, Mapping):
        node = Members((name, None) for name in value)
    for step in reversed(steps[:place]):
        node = Members([(str(step), node)])
    look_up(node, steps)
    raise AssertionError("the step exists")
