"""JSON as Go's encoding/json reads and writes it, where it differs from what Python libraries do."""

from __future__ import annotations

from statefmt.gojson.encode import encode_value
from statefmt.gojson.floats import encode_float
from statefmt.gojson.layout import compact, escape_html, indent
from statefmt.gojson.parse import JSONValue, Members, NumberText, kind_name, loads_exact
from statefmt.gojson.quote import quote
from statefmt.gojson.strings import encode_string

__all__ = [
    "JSONValue",
    "Members",
    "NumberText",
    "compact",
    "encode_float",
    "encode_string",
    "encode_value",
    "escape_html",
    "indent",
    "kind_name",
    "loads_exact",
    "quote",
]
