"""Functions that decode and encode: JSON, YAML, CSV, base64, addresses of the web.

Sources: go-cty `stdlib/json.go`, `csv.go`; go-cty-yaml; OpenTofu `internal/lang/funcs/encoding.go`.
"""

from __future__ import annotations

import base64
import binascii
import csv
from urllib.parse import quote_plus

from statefmt.config.construct import from_plain, list_of, object_of, text, to_plain
from statefmt.config.functions.registry import FunctionError, Parameter, function
from statefmt.config.functions.shapes import text_of
from statefmt.config.functions.yaml_decoding import decode_yaml
from statefmt.config.values import Part
from statefmt.cty import STRING, CtyError, ObjectType, implied_type, read_value, write_value
from statefmt.cty import Value as PlainValue
from statefmt.golang import loads_exact

_STR = Parameter("str", STRING)


@function(_STR)
def jsondecode(value: Part) -> Part:
    raw = text_of(value).encode()
    try:
        of = implied_type(loads_exact(raw))
        read = read_value(raw, of)
    except (CtyError, ValueError) as error:
        raise FunctionError(str(error), 0) from None
    return from_plain(read.type, read.data)


@function(Parameter("val", null=True), returns=STRING)
def jsonencode(value: Part) -> Part:
    try:
        return text(write_value(PlainValue(value.type, to_plain(value))).decode())
    except CtyError as error:
        raise FunctionError(str(error), 0) from None


@function(Parameter("src", STRING))
def yamldecode(value: Part) -> Part:
    return decode_yaml(text_of(value))


@function(_STR, returns=STRING)
def base64encode(value: Part) -> Part:
    return text(base64.b64encode(text_of(value).encode()).decode())


@function(_STR, returns=STRING)
def base64decode(value: Part) -> Part:
    try:
        # Newlines are passed over, as in Go.
        given = text_of(value).replace("\n", "").replace("\r", "")
        return text(base64.b64decode(given, validate=True).decode("utf-8"))
    except binascii.Error:
        raise FunctionError("failed to decode base64 data", 0) from None
    except UnicodeDecodeError:
        raise FunctionError("the result of decoding the provided string is not valid UTF-8", 0) from None


@function(_STR, returns=STRING)
def urlencode(value: Part) -> Part:
    return text(quote_plus(text_of(value), safe=""))


@function(_STR)
def csvdecode(value: Part) -> Part:
    try:
        rows = [row for row in csv.reader(text_of(value).splitlines(keepends=True), strict=True) if row]
    except csv.Error as error:
        raise FunctionError(str(error), 0) from None
    if not rows:
        raise FunctionError("missing header line", 0)
    header, *rest = rows
    if len(set(header)) != len(header):
        raise FunctionError("duplicate column name", 0)
    if any(len(row) != len(header) for row in rest):
        raise FunctionError("wrong number of fields", 0)
    of = ObjectType(dict.fromkeys(sorted(header), STRING))
    return list_of(of, [object_of({name: text(cell) for name, cell in zip(header, row, strict=True)}) for row in rest])
