"""JSON that statetool prints: indented, with its format version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import orjson

FORMAT_VERSION: Final = "1.0"
_LAYOUT: Final = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def document(members: Mapping[str, object]) -> bytes:
    """A document with `format_version` and the given members, and a newline at its end."""
    whole = {"format_version": FORMAT_VERSION, **members}
    try:
        return orjson.dumps(whole, option=_LAYOUT)
    except orjson.JSONEncodeError:
        return orjson.dumps(_as_text(whole), option=_LAYOUT)


def _as_text(value: object) -> object:
    """The value with a replacement character for what is no text: single bytes in the name of a file."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {_as_text(name): _as_text(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_text(item) for item in value]
    return value
