"""Writes JSON output with values from a state, whose numbers keep their text."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from statefmt.golang import indent
from statefmt.redaction.partial import Partial, exact_text
from statefmt.render.json_output import FORMAT_VERSION, json_text


def exact_document(members: Mapping[str, object]) -> bytes:
    """Write a document like `json_output.document`; values of a state may be part of it as fragments."""
    text = json_text({"format_version": FORMAT_VERSION, **members})
    try:
        return indent(text) + b"\n"
    except ValueError:
        # Nested too deeply to indent.
        return text + b"\n"


def fragment(value: Partial) -> orjson.Fragment:
    """Return a value as a piece of JSON, for `exact_document`.

    Raises ValueError if a decoded value is nested deeper than Python can follow; JSON text may be.
    """
    return orjson.Fragment(exact_text(value))
