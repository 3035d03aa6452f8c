"""Writes JSON output with values from a state, whose numbers keep their text."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from msgspec import Raw

from statefmt.golang import Members, NumberText, encode_string, indent
from statefmt.redaction.partial import Partial
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


def exact_text(value: Partial) -> bytes:
    """Write a value as JSON; numbers and undecoded parts keep their text. Raises ValueError like `fragment`."""
    try:
        return _encoded(value)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None


def _encoded(value: Partial) -> bytes:
    if isinstance(value, Raw):
        return bytes(value)
    if value is None:
        return b"null"
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, NumberText):
        return value.encode("ascii")
    if isinstance(value, str):
        return encode_string(value)
    if isinstance(value, list):
        return b"[%b]" % b",".join([_encoded(part) for part in value])
    pairs = dict(value) if isinstance(value, Members) else value
    return b"{%b}" % b",".join([encode_string(name) + b":" + _encoded(part) for name, part in pairs.items()])
