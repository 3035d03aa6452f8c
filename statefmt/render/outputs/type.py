"""The type of an output; where its value is hidden, without what would give a part of it away."""

from __future__ import annotations

from typing import Final

from statefmt.model.cty import CtyTypeError, parse_type
from statefmt.model.outputs import OutputValue
from statefmt.render.values.type_text import type_text

# In an object the names of its attributes are a part of the type, and of the value.
_OBJECT: Final = b'["object"'


def output_type_text(output: OutputValue, *, hidden: bool) -> str:
    """The type as a constraint, without the names of attributes where the value is hidden."""
    try:
        return type_text(parse_type(output.type), names=not hidden)
    except CtyTypeError:
        return "any"


def output_type_json(output: OutputValue, *, hidden: bool) -> bytes | None:
    """The type as the state has it; None where the value is hidden and the type has names of attributes in it."""
    return None if hidden and _OBJECT in output.type else output.type
