"""Text as Go reads and writes it, where Python's libraries differ: JSON, quoting, normal forms."""

from __future__ import annotations

from statefmt.golang._encode import encode_value, float64
from statefmt.golang._floats import encode_float
from statefmt.golang._layout import compact, escape_html, indent
from statefmt.golang._strings import encode_string
from statefmt.golang.parse import (
    JSONValue,
    Members,
    NumberText,
    kind_name,
    loads_exact,
)
from statefmt.golang.quote import quote

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
