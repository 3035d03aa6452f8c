"""Reads and writes JSON and strings as Go does, where Python's libraries differ.

JSON is parsed without loss: numbers keep their text, members keep their order and may repeat. White space and HTML
escapes change without decoding. Diagnostics and the order of cty sets depend on `quote`; cty normalizes every string
and attribute name with `nfc`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

import msgspec

from statefmt.text import pattern

if TYPE_CHECKING:
    from json import JSONDecoder


class NumberText(str):
    """A JSON number, as written. (It is a str: test for it before testing for str.)"""

    __slots__ = ()


class Members(tuple[tuple[str, "JSONValue"], ...]):
    """A JSON object: (name, value) pairs in order, repeated names included; `dict()` keeps the last of each."""

    __slots__ = ()


# No other names of this module, so that tools that evaluate annotations, such as `help()`, need none.
JSONValue: TypeAlias = bool | str | NumberText | list["JSONValue"] | Members | None

_SURROGATE_ESCAPE = pattern(r"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = pattern("[\ud800-\udfff]")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


@cache
def _decoder() -> JSONDecoder:
    # Imported here because most runs do not need it.
    from json import JSONDecoder

    return JSONDecoder(
        object_pairs_hook=Members, parse_float=NumberText, parse_int=NumberText, parse_constant=_refuse_constant
    )


def _mend(value: JSONValue) -> JSONValue:
    """Replace lone surrogates by U+FFFD, as Go does; Python keeps them."""
    if isinstance(value, NumberText):
        return value
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mend(item) for item in value]
    if isinstance(value, Members):
        return Members((_LONE_SURROGATE.sub("\ufffd", name), _mend(item)) for name, item in value)
    return value


def loads_exact(raw: bytes, *, replace_invalid: bool = False) -> JSONValue:
    """Parse a JSON document into None, bool, str, NumberText, list and Members.

    As in Go, a lone surrogate escape becomes U+FFFD, and with `replace_invalid` so does each byte that is not
    valid UTF-8. Raises ValueError for invalid JSON (including NaN and Infinity), for invalid UTF-8 without
    `replace_invalid`, and for documents nested too deeply.
    """
    mend = False
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if not replace_invalid:
            raise ValueError(f"invalid UTF-8 at byte {error.start}") from None
        text = raw.decode("utf-8", "surrogateescape")
        mend = True
    try:
        value: JSONValue = _decoder().decode(text)
        if mend or _SURROGATE_ESCAPE.search(text):
            value = _mend(value)
    except ValueError as error:
        raise ValueError(f"invalid JSON: {error}") from None
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None
    return value


def kind_name(value: JSONValue) -> str:
    """Return the kind of a JSON value as in Go's errors: null, bool, number, string, array or object."""
    kinds = {type(None): "null", bool: "bool", NumberText: "number", list: "array", Members: "object"}
    return kinds.get(type(value), "string")


PlainJSON: TypeAlias = "JSONValue | int | float | Sequence[PlainJSON] | Mapping[str, PlainJSON]"


def encode_value(value: PlainJSON) -> bytes:
    """Encode a value as Go's json.Marshal does after json.Unmarshal into an interface{}.

    Takes the results of `loads_exact` and `json.loads`. Numbers pass through float64 (`12345678901234567890`
    becomes `12345678901234567000`), members are sorted by the bytes of their names, and the last of several
    members with the same name wins. Raises ValueError for numbers out of range and values nested too deeply.
    """
    try:
        return _encode(value)
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None


def _encode(value: PlainJSON) -> bytes:
    if value is None:
        return b"null"
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, (NumberText, int, float)):
        return encode_float(float64(value))
    if isinstance(value, str):
        return encode_string(value)
    if isinstance(value, (Members, Mapping)):
        # Encode overridden members, too: Go refuses a number out of range even there.
        pairs = value if isinstance(value, Members) else value.items()
        by_name = {name: _encode(item) for name, item in pairs}
        # Code points sort like their UTF-8 bytes.
        return b"{%b}" % b",".join(encode_string(name) + b":" + by_name[name] for name in sorted(by_name))
    return b"[%b]" % b",".join(map(_encode, value))


def float64(number: NumberText | float) -> float:
    """Convert a JSON number as json.Unmarshal does for an interface{}. Raises ValueError if it is out of range."""
    try:
        value = float(number)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        raise ValueError(f"json: cannot unmarshal number {number} into Go value of type float64")
    return value


_PLAIN = pattern(r"[ !#-%'-;=?-\[\]-\x7f]*")
_SPECIAL = pattern('[\x00-\x1f"&<>\\\\\u2028\u2029\ud800-\udfff]')

_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    # Go has no lone surrogates: its JSON decoder replaces them by U+FFFD.
    return _SHORT.get(char) or ("\ufffd" if "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}")


def encode_string(text: str) -> bytes:
    """Encode `text` as a JSON string in UTF-8, escaped as Go 1.22 and later do.

    `<`, `>`, `&`, U+2028, U+2029 and control characters are escaped (`\\b`, `\\f`, `\\n`, `\\r` and `\\t` in
    their short form, DEL not at all); a lone surrogate becomes U+FFFD. Never raises.
    """
    if _PLAIN.fullmatch(text) is not None:
        return b'"%b"' % text.encode("ascii")
    return b'"%b"' % _SPECIAL.sub(_escaped, text).encode("utf-8")


def fold_name(name: str) -> str:
    """Return the member of a Go struct that a name in a JSON object means: names match without case.

    The simple folding of Unicode adds two characters: the long s (U+017F) is an s, and the sign for kelvin (U+212A) a
    k. The names of members in Go are in lower case here.
    """
    return name.lower().replace("\u017f", "s")


_INT64: Final = range(-(2**63), 2**63)


def encode_float(value: float) -> bytes:
    """Encode `value` with the shortest digits that round-trip; with an exponent below 1e-6 and from 1e21 on.

    Raises ValueError for infinities and NaN, which JSON cannot represent.
    """
    if not math.isfinite(value):
        raise ValueError(f"json: unsupported value: {value}")
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    # value = 0.DIGITS * 10**point
    digits = (whole + fraction).lstrip("0")
    point = len(digits) - len(fraction) + int(exponent or 0)
    digits = digits.rstrip("0")
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if not digits:
        text = "0"
    elif not 1e-6 <= abs(value) < 1e21:
        tail = "." + digits[1:] if len(digits) > 1 else ""
        text = f"{digits[0]}{tail}e{point - 1:+d}"
    elif point <= 0:
        text = "0." + "0" * -point + digits
    elif point >= len(digits):
        text = digits + "0" * (point - len(digits))
    else:
        text = f"{digits[:point]}.{digits[point:]}"
    return (sign + text).encode("ascii")


def int_of_number(number: float | str) -> int:
    """Convert a JSON number to a 64-bit integer, by way of a 64-bit float, as Go does on amd64.

    Out of range, the result is the lowest integer. Raises OverflowError if the float cannot hold the number.
    """
    whole = int(float(number))
    return whole if whole in _INT64 else _INT64.start


# The nesting limit of encoding/json, for reading and writing.
_MAX_DEPTH = 10_000

# An unterminated string extends to the end of the input; otherwise each quote in it would start another search.
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_STRING_OR_SPACE = pattern(rb"(" + _STRING + rb")|[ \t\r\n]+", re.DOTALL)
_SURROGATE_ESCAPE_BYTES = pattern(rb"\\u[dD][89a-fA-F]")
_STRUCTURE = pattern(_STRING + rb"|\[\]|\{\}|[\[\]{},:]", re.DOTALL)


def escape_html(raw: bytes) -> bytes:
    """Escape `<`, `>`, `&`, U+2028 and U+2029 as Go does when it writes a json.RawMessage.

    `raw` must be valid JSON, where they occur in strings only. Returns `raw` itself if it contains none of them.
    """
    # bytes.replace returns the same object if nothing matches, so the common case makes no copy.
    raw = raw.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")
    # The search for one byte is by far the fastest.
    if b"\xe2" in raw:
        raw = raw.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return raw


def compact(raw: bytes) -> bytes:
    """Remove the white space between the tokens of valid JSON; numbers and escapes stay unchanged.

    Raises ValueError if it detects invalid JSON.
    """
    return _format(raw, -1, _compact_slowly)


def indent(raw: bytes) -> bytes:
    """Indent valid JSON by two spaces as Go's json.MarshalIndent does; `[]` and `{}` stay on one line.

    Numbers and escapes stay unchanged. Raises ValueError if it detects invalid JSON.
    """
    return _format(raw, 2, _indent_slowly)


def _format(raw: bytes, spaces: int, slowly: Callable[[bytes], bytes]) -> bytes:
    """Format with msgspec, or with `slowly` for valid JSON that msgspec refuses: deep nesting, lone surrogates."""
    try:
        return msgspec.json.format(raw, indent=spaces)
    except RecursionError:
        return slowly(raw)
    except msgspec.MsgspecError as error:
        if not _SURROGATE_ESCAPE_BYTES.search(raw):
            raise ValueError(str(error)) from None
    loads_exact(raw, replace_invalid=True)
    return slowly(raw)


def _compact_slowly(raw: bytes) -> bytes:
    depth = 0
    for match in _STRUCTURE.finditer(raw):
        token = match.group()
        depth += token[:1] in (b"[", b"{")
        if depth > _MAX_DEPTH:
            raise ValueError("exceeded max depth")
        depth -= token[-1:] in (b"]", b"}")
    return _STRING_OR_SPACE.sub(rb"\1", raw)


def _indent_slowly(raw: bytes) -> bytes:
    raw = _compact_slowly(raw)
    depth = 0
    parts: list[bytes] = []
    done = 0
    for match in _STRUCTURE.finditer(raw):
        token = match.group()
        parts.append(raw[done : match.start()])
        done = match.end()
        depth += (token in (b"[", b"{")) - (token in (b"]", b"}"))
        line = b"\n" + b"  " * depth
        if token in (b"[", b"{", b","):
            parts.append(token + line)
        elif token in (b"]", b"}"):
            parts.append(line + token)
        else:
            parts.append(b": " if token == b":" else token)
    parts.append(raw[done:])
    return b"".join(parts)


_NAMED = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
}  # fmt: skip


def _quoted(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    # str.isprintable has the same definition as Go's strconv.IsPrint: letters, marks, numbers, punctuation,
    # symbols and the ASCII space. Only the Unicode version may differ (Go 1.26 has 15.0).
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quote(text: str) -> str:
    """Return `text` in double quotes as Go's `fmt.Sprintf("%q", text)` does. Never raises."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_quoted, text)) + '"'


_MAX_NON_STARTERS = 30
_GRAPHEME_JOINER = "\u034f"

# Starters that can combine with the character before them; x/text counts them as combining marks.
_JOINING_STARTERS = frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1b35"
    "\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
) | frozenset(map(chr, [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]))


def nfc(text: str) -> str:
    """Return `text` in normalization form C, in the "stream-safe" variant of golang.org/x/text.

    That variant inserts U+034F into runs of more than 30 combining marks. The Unicode version is Python's own,
    that of Go 1.26 is 15.0: results differ for characters that only one of them knows. Never raises.
    """
    if text.isascii():
        return text
    import unicodedata

    if len(text) > _MAX_NON_STARTERS:
        text = _stream_safe(text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _stream_safe(text: str) -> str:
    counts = {char: _non_starters(char) for char in set(text)}
    if not any(leading for leading, _ in counts.values()):
        return text
    parts: list[str] = []
    run = 0
    for char in text:
        leading, trailing = counts[char]
        if run + leading > _MAX_NON_STARTERS:
            parts.append(_GRAPHEME_JOINER)
            run = 0
        run = run + leading if leading else trailing
        parts.append(char)
    return "".join(parts)


@lru_cache(maxsize=4096)
def _non_starters(char: str) -> tuple[int, int]:
    """Count the leading and the trailing marks of the full decomposition of `char`."""
    import unicodedata

    marks = [
        unicodedata.combining(part) != 0 or part in _JOINING_STARTERS for part in unicodedata.normalize("NFKD", char)
    ]
    # As if a starter followed, and preceded.
    return [*marks, False].index(False), [*marks[::-1], False].index(False)
