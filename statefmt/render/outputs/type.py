"""Renders the type of an output, without attribute names if the value is hidden."""

from __future__ import annotations

from typing import Final

from statefmt.model.cty import CtyTypeError, parse_type
from statefmt.model.snapshot import OutputValue
from statefmt.render.values.type_text import type_text

# The attribute names of an object are part of its type and of its value.
_OBJECT: Final = b'["object"'


def output_type_text(output: OutputValue, *, hidden: bool) -> str:
    """Return the type as a constraint, without attribute names if the value is hidden."""
    try:
        return type_text(parse_type(output.type), names=not hidden)
    except CtyTypeError:
        return "any"


def output_type_json(output: OutputValue, *, hidden: bool) -> bytes | None:
    """Return the type as in the state; None if the value is hidden and the type has attribute names."""
    return None if hidden and _OBJECT in output.type else output.type
