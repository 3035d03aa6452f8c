"""Output values for programs."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from statefmt.render.exact_json import exact_document
from statefmt.render.outputs_text import output_type_text
from statefmt.states import OutputValue
from statefmt.values.hidden import HIDDEN


def outputs_json(outputs: Sequence[OutputValue], *, show_sensitive: bool) -> bytes:
    """The outputs with their values, whose numbers keep their text (schema: `outputs-output.schema.json`)."""
    return exact_document({"outputs": [_output(output, show_sensitive) for output in outputs]})


def _output(output: OutputValue, show_sensitive: bool) -> dict[str, object]:
    hidden = output.sensitive and not show_sensitive
    type_text = output_type_text(output, hidden=hidden)
    # In an object the names of its attributes are a part of the type.
    is_bare = not hidden or "object(" not in type_text
    return {
        "name": output.name,
        "type": orjson.Fragment(output.type) if is_bare else None,
        "type_text": type_text,
        "sensitive": output.sensitive,
        "deprecated": output.deprecated or None,
        "value": str(HIDDEN) if hidden else orjson.Fragment(output.value),
        "hidden": hidden,
    }
