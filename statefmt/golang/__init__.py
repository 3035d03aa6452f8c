"""Text as Go reads and writes it, where Python's libraries differ: JSON, quoting, normal forms."""

from __future__ import annotations

from statefmt.golang.encode import encode_value, float64
from statefmt.golang.floats import encode_float
from statefmt.golang.layout import compact, escape_html, indent
from statefmt.golang.parse import JSONValue, Members, NumberText, kind_name, loads_exact
from statefmt.golang.quote import quote
from statefmt.golang.strings import encode_string

__all__ = [
    "JSONValue",
    "Members",
    "NumberText",
    "compact",
    "encode_float",
    "encode_string",
    "encode_value",
    "escape_html",
    "float64",
    "indent",
    "kind_name",
    "loads_exact",
    "quote",
]
