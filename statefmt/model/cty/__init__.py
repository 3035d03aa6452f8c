"""Implements the part of go-cty needed to write output values and sensitive paths as OpenTofu does."""

from __future__ import annotations

from statefmt.model.cty._path_error import CtyPathError as CtyPathError
from statefmt.model.cty.data import CtyValue as CtyValue
from statefmt.model.cty.errors import (
    CtyEncodeError as CtyEncodeError,
    CtyError as CtyError,
    CtyTypeError as CtyTypeError,
    CtyValueError as CtyValueError,
)
from statefmt.model.cty.implied import (
    implied_type as implied_type,
    simplify as simplify,
    upgrade_output as upgrade_output,
)
from statefmt.model.cty.number import Number as Number, parse_number as parse_number
from statefmt.model.cty.paths import (
    PathProblem as PathProblem,
    canonical_paths as canonical_paths,
    decode_paths as decode_paths,
    encode_paths as encode_paths,
    parse_paths as parse_paths,
)
from statefmt.model.cty.steps import GetAttr as GetAttr, Path as Path, PathIndex as PathIndex
from statefmt.model.cty.types import (
    BOOL as BOOL,
    DYNAMIC as DYNAMIC,
    NUMBER as NUMBER,
    STRING as STRING,
    ListType as ListType,
    MapType as MapType,
    ObjectType as ObjectType,
    SetType as SetType,
    TupleType as TupleType,
    Type as Type,
    encode_type as encode_type,
    parse_type as parse_type,
)
from statefmt.model.cty.values import (
    canonical_output as canonical_output,
    canonical_value as canonical_value,
    read_value as read_value,
    write_value as write_value,
)
