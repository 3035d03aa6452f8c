"""Renders output values as JSON."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from statefmt.model.snapshot import OutputValue
from statefmt.redaction.object_value import hides_output, output_value
from statefmt.render.outputs.type import output_type_json, output_type_text
from statefmt.render.values.exact_json import exact_document, fragment


def outputs_json(outputs: Sequence[OutputValue], *, show_sensitive: bool) -> bytes:
    """Render the outputs; numbers in values keep their text (schema: `outputs-output.schema.json`)."""
    return exact_document({"outputs": [_output(output, show_sensitive) for output in outputs]})


def _output(output: OutputValue, show_sensitive: bool) -> dict[str, object]:
    hidden = output.sensitive and not show_sensitive
    type_json = output_type_json(output, hidden=hidden)
    return {
        "name": output.name,
        "type": None if type_json is None else orjson.Fragment(type_json),
        "type_text": output_type_text(output, hidden=hidden),
        "sensitive": output.sensitive,
        "deprecated": output.deprecated or None,
        "value": fragment(output_value(output, show_sensitive=show_sensitive)),
        "hidden": not show_sensitive and hides_output(output),
    }
