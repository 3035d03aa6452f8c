"""Makes objects with attributes, and says what `json` makes of the same text."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from msgspec import Raw

from statefmt.library.values import Attributes, Sensitive
from statefmt.model.snapshot import ResourceInstanceObject

_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")


class Text(str):
    """The text of a JSON number."""

    __slots__ = ()


def attributes(text: str | bytes, paths: str = "[]") -> Attributes:
    """Return the attributes with some JSON text, of which some paths are sensitive."""
    raw = text.encode() if isinstance(text, str) else text
    return Attributes(ResourceInstanceObject(attributes=Raw(raw), sensitive_attributes=paths.encode()), "x")


def by_json(text: str) -> Any:
    """Decode JSON with Python's own decoder; numbers are their texts, and arrays tuples."""
    return told(json.loads(text, parse_int=Text, parse_float=Text))


def told(value: Any) -> Any:
    """Replace lists by tuples and halves of surrogate pairs by U+FFFD, as the library does."""
    if isinstance(value, list):
        return tuple(told(item) for item in value)
    if isinstance(value, dict):
        # Names that only differ in halves of surrogate pairs become one.
        return {_mended(name): told(item) for name, item in value.items()}
    return _mended(value) if type(value) is str else value


def _mended(text: str) -> str:
    """Replace halves of surrogate pairs, as Go does when it reads them."""
    return _HALF_PAIR.sub("\ufffd", text)


def as_texts(value: Any) -> Any:
    """Replace each number of a value by its text, and each Sensitive by what it reveals."""
    if isinstance(value, Sensitive):
        return as_texts(value.reveal())
    if isinstance(value, tuple):
        return tuple(as_texts(item) for item in value)
    if isinstance(value, dict):
        return {name: as_texts(item) for name, item in value.items()}
    return value if value is None or isinstance(value, (bool, str)) else Text(value)


def kinds(value: Any) -> Any:
    """Return the kind of each part: what `==` does not tell apart, such as true and 1, or "1" and 1."""
    if isinstance(value, tuple):
        return [kinds(item) for item in value]
    if isinstance(value, dict):
        return {name: kinds(item) for name, item in value.items()}
    return type(value)
