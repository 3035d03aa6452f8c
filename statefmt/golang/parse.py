"""Parses JSON without loss: numbers keep their text, members keep their order and may repeat."""

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
    """A JSON object: (name, value) pairs in order, repeated names included; `dict()` keeps the last of each."""

    __slots__ = ()


# Written so that whoever reads annotations, such as `help()`, needs no other name of this module.
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
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, NumberText):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
