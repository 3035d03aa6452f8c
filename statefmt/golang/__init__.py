"""Reads and writes strings as Go does, where Python's libraries differ: JSON, quoting, Unicode normalization."""

from __future__ import annotations

from statefmt.golang._encode import encode_value as encode_value, float64 as float64
from statefmt.golang._floats import encode_float as encode_float, int_of_number as int_of_number
from statefmt.golang._layout import compact as compact, escape_html as escape_html, indent as indent
from statefmt.golang._strings import encode_string as encode_string, fold_name as fold_name
from statefmt.golang.parse import (
    JSONValue as JSONValue,
    Members as Members,
    NumberText as NumberText,
    kind_name as kind_name,
    loads_exact as loads_exact,
)
from statefmt.golang.quote import quote as quote
