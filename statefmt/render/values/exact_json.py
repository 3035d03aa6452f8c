"""JSON output with values from a state in it, which keep the text of their numbers."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from msgspec import Raw

from statefmt.golang import (
    Members,
    NumberText,
    encode_string,
    indent,
)
from statefmt.redaction.partial import Partial
from statefmt.render.json_output import FORMAT_VERSION, json_text


def exact_document(members: Mapping[str, object]) -> bytes:
    """A document as `json_output.document` gives it, in which values of a state may stand as fragments."""
    text = json_text({"format_version": FORMAT_VERSION, **members})
    try:
        return indent(text) + b"\n"
    except ValueError:
        # Nested too deeply to be laid out.
        return text + b"\n"


def fragment(value: Partial) -> orjson.Fragment:
    """A value as a piece of JSON, for `exact_document`.

    Raises ValueError for a decoded value that is nested deeper than Python can follow; JSON text may be.
    """
    return orjson.Fragment(exact_text(value))


def exact_text(value: Partial) -> bytes:
    """The JSON of a value; numbers and what was not decoded keep their text. Raises ValueError, as `fragment` does."""
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
