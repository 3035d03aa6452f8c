"""As much of go-cty as it takes to write output values and sensitive paths the way OpenTofu does."""

from __future__ import annotations

from statefmt.model.cty.errors import (
    CtyEncodeError,
    CtyError,
    CtyTypeError,
    CtyValueError,
)
from statefmt.model.cty.implied import implied_type, simplify, upgrade_output
from statefmt.model.cty.number import Number, parse_number
from statefmt.model.cty.paths import (
    GetAttr,
    Path,
    PathIndex,
    PathProblem,
    canonical_paths,
    decode_paths,
    encode_paths,
    parse_paths,
)
from statefmt.model.cty.types import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    encode_type,
    parse_type,
)
from statefmt.model.cty.values import (
    CtyValue,
    canonical_output,
    canonical_value,
    read_value,
    write_value,
)

__all__ = [
    "BOOL",
    "DYNAMIC",
    "NUMBER",
    "STRING",
    "CtyEncodeError",
    "CtyError",
    "CtyTypeError",
    "CtyValue",
    "CtyValueError",
    "GetAttr",
    "ListType",
    "MapType",
    "Number",
    "ObjectType",
    "Path",
    "PathIndex",
    "PathProblem",
    "SetType",
    "TupleType",
    "Type",
    "canonical_output",
    "canonical_paths",
    "canonical_value",
    "decode_paths",
    "encode_paths",
    "encode_type",
    "implied_type",
    "parse_number",
    "parse_paths",
    "parse_type",
    "read_value",
    "simplify",
    "upgrade_output",
    "write_value",
]
