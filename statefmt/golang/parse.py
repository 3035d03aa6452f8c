"""Reads JSON without losing anything: numbers stay text, members stay in order and may repeat."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from statefmt.text.pattern import pattern

if TYPE_CHECKING:
    from json import JSONDecoder


class NumberText(str):
    """A JSON number, as written. (It is a str: test for it before testing for str.)"""

    __slots__ = ()


class Members(tuple[tuple[str, "JSONValue"], ...]):
    """A JSON object: (name, value) pairs in order, repeated names included; `dict()` of it keeps the last."""

    __slots__ = ()


JSONValue: TypeAlias = "bool | str | NumberText | list[JSONValue] | Members | None"

_SURROGATE_ESCAPE = pattern(r"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = pattern("[\ud800-\udfff]")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


@cache
def _decoder() -> JSONDecoder:
    # Imported here, since most runs read their states without it.
    from json import JSONDecoder

    return JSONDecoder(
        object_pairs_hook=Members, parse_float=NumberText, parse_int=NumberText, parse_constant=_refuse_constant
    )


def _mend(value: JSONValue) -> JSONValue:
    """Replace lone surrogates, which Python keeps, by U+FFFD as Go does."""
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
    """Parse one JSON document into None, bool, str, NumberText, list and Members.

    Strings are as Go reads them: a lone surrogate escape is U+FFFD. Bytes that are not UTF-8 are refused, or
    with `replace_invalid` each becomes U+FFFD, as in Go. Raises ValueError for whatever is not JSON (NaN and
    Infinity, too) and for documents nested deeper than Python can follow.
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
    """Name the kind of a JSON value as Go's errors do: null, bool, number, string, array or object."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, NumberText):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
