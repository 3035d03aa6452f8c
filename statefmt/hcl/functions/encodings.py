"""Functions that decode and encode JSON, YAML, CSV, base64 and URLs.

Sources: go-cty `stdlib/json.go`, `csv.go`; go-cty-yaml; OpenTofu `internal/lang/funcs/encoding.go`.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import zlib
from typing import Final
from urllib.parse import quote_plus, unquote_to_bytes

from statefmt.golang import loads_exact
from statefmt.hcl.functions.csv_decoding import decode_csv
from statefmt.hcl.functions.registry import FunctionError, Parameter, function
from statefmt.hcl.functions.shapes import text_of
from statefmt.hcl.functions.yaml_decoding import decode_yaml
from statefmt.hcl.functions.yaml_encoding import encode_yaml
from statefmt.hcl.value import Part, Unknown
from statefmt.hcl.values.construct import from_plain, list_of, object_of, text, to_plain
from statefmt.model.cty import (
    STRING,
    CtyError,
    CtyValue as PlainValue,
    ObjectType,
    implied_type,
    read_value,
    write_value,
)

_STR = Parameter("str", STRING)
_ENCODING = Parameter("encoding", STRING)
_LARGEST: Final = 16 * 1024 * 1024
# Codecs by IANA name; Go knows more.
_CODECS: Final = {
    "UTF-8": "utf-8",
    "UTF-16": "utf-16",
    "UTF-16LE": "utf-16-le",
    "UTF-16BE": "utf-16-be",
    "US-ASCII": "ascii",
    "ISO-8859-1": "latin-1",
    "SHIFT_JIS": "shift_jis",
    "EUC-JP": "euc_jp",
}


@function(_STR)
def jsondecode(value: Part) -> Part:
    raw = text_of(value).encode()
    try:
        of = implied_type(loads_exact(raw))
        read = read_value(raw, of)
    except (CtyError, ValueError) as error:
        if "Extra data" in str(error):
            # OpenTofu ignores a surplus closing bracket, but no other trailing data.
            return Unknown("statetool does not evaluate jsondecode with content after the JSON value")
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


@function(Parameter("value", null=True), returns=STRING)
def yamlencode(value: Part) -> Part:
    return text(encode_yaml(value))


@function(_STR, returns=STRING)
def base64encode(value: Part) -> Part:
    return text(base64.b64encode(text_of(value).encode()).decode())


@function(_STR, returns=STRING)
def base64decode(value: Part) -> Part:
    try:
        return text(_from_base64(value).decode("utf-8"))
    except UnicodeDecodeError:
        raise FunctionError("the result of decoding the provided string is not valid UTF-8", 0) from None


def _from_base64(value: Part) -> bytes:
    try:
        # Go ignores newlines.
        return base64.b64decode(text_of(value).replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        raise FunctionError("failed to decode base64 data", 0) from None


@function(_STR, returns=STRING)
def base64gunzip(value: Part) -> Part:
    decoder = zlib.decompressobj(wbits=31)
    try:
        content = decoder.decompress(_from_base64(value), _LARGEST)
    except zlib.error as error:
        raise FunctionError(f"failed to gunzip bytestream: {error}") from None
    if not decoder.eof and (decoder.unconsumed_tail or len(content) >= _LARGEST):
        return Unknown(f"statetool does not evaluate base64gunzip of more than {_LARGEST:,} bytes")
    if not decoder.eof:
        raise FunctionError("failed to read gunzip raw data: unexpected EOF")
    try:
        return text(content.decode()) if not decoder.unused_data else Unknown("the gzip data has more than one member")
    except UnicodeDecodeError:
        return Unknown("statetool does not evaluate base64gunzip if the result is not UTF-8")


@function(Parameter("string", STRING), _ENCODING, returns=STRING)
def textencodebase64(value: Part, encoding: Part) -> Part:
    codec = _codec(encoding)
    if isinstance(codec, Unknown):
        return codec
    before = codecs.BOM_UTF16_BE if codec == "utf-16" else b""
    try:
        encoded = text_of(value).encode("utf-16-be" if before else codec)
    except UnicodeEncodeError:
        raise FunctionError(
            "the given string contains characters that cannot be represented in the encoding", 0
        ) from None
    return text(base64.b64encode(before + encoded).decode())


@function(Parameter("source", STRING), _ENCODING, returns=STRING)
def textdecodebase64(value: Part, encoding: Part) -> Part:
    codec = _codec(encoding)
    if isinstance(codec, Unknown):
        return codec
    try:
        return text(_from_base64(value).decode(codec))
    except UnicodeDecodeError:
        # Some encodings substitute a replacement character, others fail.
        return Unknown("statetool does not evaluate textdecodebase64 of bytes invalid in the encoding")


def _codec(encoding: Part) -> str | Unknown:
    name = text_of(encoding)
    found = _CODECS.get(name.upper())
    if found is None:
        return Unknown(f"statetool does not evaluate the encoding {name!r}")
    return found


@function(_STR, returns=STRING)
def urlencode(value: Part) -> Part:
    return text(quote_plus(text_of(value), safe=""))


@function(_STR, returns=STRING)
def urldecode(value: Part) -> Part:
    given = text_of(value)
    if re.search("%(?![0-9A-Fa-f]{2})", given):
        raise FunctionError(f"failed to decode URL {given!r}: invalid URL escape")
    decoded = unquote_to_bytes(given.replace("+", " "))
    try:
        return text(decoded.decode())
    except UnicodeDecodeError:
        return Unknown("statetool does not evaluate urldecode if the result is not UTF-8")


@function(_STR)
def csvdecode(value: Part) -> Part:
    rows = decode_csv(text_of(value))
    if not rows:
        raise FunctionError("missing header line", 0)
    header, *rest = rows
    if len(set(header)) != len(header):
        raise FunctionError("duplicate column name", 0)
    if any(len(row) != len(header) for row in rest):
        raise FunctionError("wrong number of fields", 0)
    of = ObjectType(dict.fromkeys(sorted(header), STRING))
    return list_of(of, [object_of({name: text(cell) for name, cell in zip(header, row, strict=True)}) for row in rest])
