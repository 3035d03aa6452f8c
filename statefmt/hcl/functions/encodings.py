"""Functions that decode and encode JSON, YAML, CSV, base64 and URLs.

`yamldecode`: `yes`, `on` and `y` are true, as in YAML 1.1, and `017` is 17, as in 1.2. `yamlencode`: strings in quotes,
or as blocks if they have several lines, and no flow style; its emitter is a port of libyaml's, which PyYAML uses, too.
`csvdecode`: quotes only around whole fields, empty lines skipped.

Sources: go-cty `stdlib/json.go`, `csv.go`; Go `encoding/csv`; go-cty-yaml `decode.go`, `resolve.go`, `encode.go`;
observed results of Terraform 1.11 and 1.15; OpenTofu `internal/lang/funcs/encoding.go`.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import zlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import quote_plus, unquote_to_bytes

from statefmt.golang import loads_exact
from statefmt.hcl.functions.registry import FunctionError, Parameter, function, names_of, text_of
from statefmt.hcl.functions.times import format_time, loose_time
from statefmt.hcl.operations import convert
from statefmt.hcl.value import (
    Part,
    Unknown,
    Value,
    children,
    from_plain,
    list_of,
    number,
    object_of,
    text,
    to_plain,
    truth,
    tuple_of,
)
from statefmt.model.cty import DYNAMIC, NUMBER, STRING, CtyError, MapType, ObjectType, TupleType, implied_type
from statefmt.model.cty.data import CtyValue as PlainValue
from statefmt.model.cty.number import Number, parse_number
from statefmt.model.cty.values import read_value, write_value

if TYPE_CHECKING:
    from yaml import BaseLoader, Event, Node, ScalarNode


_STR = Parameter("str", STRING)
_ENCODING = Parameter("encoding", STRING)
_LARGEST: Final = 16 * 1024 * 1024
# Codecs by IANA name; Go supports more.
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
            # OpenTofu ignores an extra closing bracket, but no other trailing data.
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


# A quoted or bare field and its terminator.
_FIELD: Final = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>[^,\n]*))(?P<end>,|\n|\Z)')


def decode_csv(source: str) -> list[list[str]]:
    """Return the fields of each line. Raises FunctionError."""
    # Go drops a carriage return before a newline or at the end.
    whole = source.replace("\r\n", "\n").removesuffix("\r")
    rows: list[list[str]] = []
    at = 0
    while at < len(whole):
        if whole[at] == "\n":
            at += 1
            continue
        row: list[str] = []
        rows.append(row)
        while True:
            match = _FIELD.match(whole, at)
            if match is None or '"' in (match["bare"] or ""):
                line = whole.count("\n", 0, at) + 1
                raise FunctionError(f'parse error on line {line}: bare or extraneous " in a field', 0)
            row.append(match["bare"] if match["quoted"] is None else match["quoted"].replace('""', '"'))
            at = match.end()
            if match["end"] != ",":
                break
    return rows


# Our tag for untagged scalars.
_PLAIN: Final = "plain"
_TAGS: Final = "tag:yaml.org,2002:"
_YES: Final = ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE")
_NO: Final = ("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE")
_INFINITIES: Final = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_WORDS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), Value(DYNAMIC, None)),
    **dict.fromkeys(_YES, truth(True)),
    **dict.fromkeys(_NO, truth(False)),
}
# A scalar that starts with one of these may be something other than a string.
_HINTS: Final = frozenset("+-0123456789yYnNtTfFoO~.")
# A number with leading zeros is decimal.
_NUMBER: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_OTHER_BASE: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_ANY_BASE: Final = re.compile(r"[-+]?0(?:o[0-7]+|x[0-9a-fA-F]+|b[01]+)", re.IGNORECASE)
_OTHER_RELEASE: Final = re.compile(r"^%YAML[ \t]+(?!1\.1\b)", re.MULTILINE)


def decode_yaml(source: str) -> Part:
    """Decode a YAML document. Raises FunctionError."""
    import yaml

    if _OTHER_RELEASE.match(source):
        raise FunctionError("on line 1, column 1: found incompatible YAML document", 0)
    try:
        node = yaml.compose(source, Loader=_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"on line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise FunctionError(f"{where}{getattr(error, 'problem', None) or error}", 0) from None
    except (ValueError, RecursionError) as error:
        raise FunctionError(str(error), 0) from None
    if node is None:
        raise FunctionError("on line 1, column 1: expecting value but found end of stream", 0)
    return _Reader().value(node)


@cache
def _loader() -> type[BaseLoader]:
    import yaml

    base: type[BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

    class Loader(base):  # type: ignore[misc, valid-type]
        """A loader that does not resolve untagged scalars."""

        def resolve(self, kind: type[Node], value: str, implicit: tuple[bool, bool]) -> str:
            return _PLAIN if kind is yaml.ScalarNode else str(super().resolve(kind, value, implicit))

    return Loader


class _Reader:
    """A converter from nodes to values. An alias is the same node as its anchor."""

    def __init__(self) -> None:
        self._under_way: set[int] = set()
        self._keys: set[int] = set()

    def value(self, node: Node) -> Part:
        import yaml

        if id(node) in self._under_way:
            raise FunctionError("cannot refer to an anchor from inside of its own definition", 0)
        if id(node) in self._keys:
            raise FunctionError("reference to undefined anchor: keys cannot have anchors", 0)
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        kind = "map" if isinstance(node, yaml.MappingNode) else "seq"
        if node.tag != f"{_TAGS}{kind}":
            raise FunctionError(f"can't interpret {'mapping' if kind == 'map' else 'sequence'} as {node.tag}", 0)
        self._under_way.add(id(node))
        try:
            return self._mapping(node) if kind == "map" else tuple_of([self.value(item) for item in node.value])
        finally:
            self._under_way.discard(id(node))

    def _mapping(self, node: Node) -> Part:
        import yaml

        found: dict[str, Part] = {}
        for key, item in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise FunctionError("only strings are allowed as mapping keys", 0)
            self._keys.add(id(key))
            if (key.tag == _PLAIN and key.value == "<<") or key.tag == f"{_TAGS}merge":
                found |= self._merged(item)
                continue
            name = convert(_scalar(key), STRING)
            if not isinstance(name, Value) or not isinstance(name.data, str):
                raise FunctionError("mapping key cannot be null", 0)
            # A repeated key silently replaces the earlier one.
            found[name.data] = self.value(item)
        return object_of(found)

    def _merged(self, node: Node) -> dict[str, Part]:
        part = self.value(node)
        found: dict[str, Part] = {}
        for each in children(part) if isinstance(part.type, TupleType) else (part,):
            if not isinstance(each.type, ObjectType):
                raise FunctionError("only mappings can be merged into a mapping", 0)
            found |= dict(zip(each.type.attributes, children(each), strict=True))
        return found


def _scalar(node: ScalarNode) -> Part:
    value: str = node.value
    tag = None if node.tag == _PLAIN else node.tag.removeprefix(_TAGS)
    if tag not in (None, "str", "bool", "int", "float", "null", "timestamp", "binary"):
        raise FunctionError(f"unsupported tag {node.tag!r}", 0)
    if tag not in ("str", "binary") and (value[:1] in _HINTS or not value):
        if node.style in ("'", '"'):
            return text(value)
        if value in _WORDS:
            return _WORDS[value]
        if infinity := _INFINITIES.fullmatch(value):
            return _number(f"{infinity[1]}Inf")
        found = _implied(value, tag)
        if found is not None:
            return found
    return text(value) if tag is None else _tagged(value, tag)


def _implied(value: str, tag: str | None) -> Part | None:
    if value in (".nan", ".NaN", ".NAN") and tag is None:
        raise FunctionError("floating point NaN is not supported", 0)
    if value[:1] == ".":
        exact = parse_number(value)
        return None if exact is None else Value(NUMBER, exact)
    if tag in (None, "timestamp") and (time := loose_time(value)) is not None:
        return text(format_time(time))
    if _NUMBER.fullmatch(value) or _OTHER_BASE.fullmatch(value):
        return _number(value)
    return None


def _number(value: str) -> Part:
    plain = value.replace("_", "")
    exact = parse_number(plain)
    if exact is not None:
        return Value(NUMBER, exact)
    if _ANY_BASE.fullmatch(plain):
        return number(int(plain, 0))
    raise FunctionError(f"cannot parse {value!r} as a number", 0)


def _tagged(value: str, tag: str) -> Part:
    if tag in ("int", "float"):
        return _number(value)
    if tag == "null":
        return Value(DYNAMIC, None)
    if tag == "binary":
        try:
            base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
        except ValueError:
            raise FunctionError(f"cannot parse {value!r} as !!binary: not valid base64", 0) from None
    elif tag != "str":
        raise FunctionError(f"cannot parse {value!r} as !!{tag}", 0)
    return text(value)


_WIDTH: Final = 80
_END: Final = "...\n"


def encode_yaml(part: Part) -> str:
    """Encode a wholly known value."""
    import yaml

    dumper = getattr(yaml, "CDumper", yaml.Dumper)
    start = [yaml.StreamStartEvent(), yaml.DocumentStartEvent(explicit=False)]
    end = [yaml.DocumentEndEvent(explicit=False), yaml.StreamEndEvent()]
    events = [*start, *_events(part), *end]
    found = str(yaml.emit(events, Dumper=dumper, allow_unicode=True, width=_WIDTH))
    if found.endswith(f"\n{_END}"):
        found = found.removesuffix(_END)
    # Older releases of libyaml end a document with `...` if it is a single plain scalar.
    alone = isinstance(part, Value) and (part.data is None or isinstance(part.data, (bool, Number)))
    return found + _END if alone else found


def _events(part: Part) -> Iterator[Event]:
    import yaml

    assert isinstance(part, Value)
    if part.data is None:
        yield _plain("null")
    elif isinstance(part.type, (MapType, ObjectType)):
        yield yaml.MappingStartEvent(None, None, implicit=True, flow_style=False)
        for name, item in names_of(part).items():
            yield from _events(text(name))
            yield from _events(item)
        yield yaml.MappingEndEvent()
    elif isinstance(part.data, tuple):
        yield yaml.SequenceStartEvent(None, None, implicit=True, flow_style=False)
        for item in children(part):
            yield from _events(item)
        yield yaml.SequenceEndEvent()
    elif isinstance(part.data, str):
        yield yaml.ScalarEvent(None, None, (True, True), part.data, style="|" if "\n" in part.data else '"')
    else:
        written = convert(part, STRING)
        assert isinstance(written, Value)
        yield _plain(str(written.data))


def _plain(value: str) -> Event:
    import yaml

    return yaml.ScalarEvent(None, None, (True, True), value)
