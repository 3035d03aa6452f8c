"""JSON that statetool prints: indented, with its format version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import orjson

FORMAT_VERSION: Final = "1.0"


def document(members: Mapping[str, object]) -> bytes:
    """A document with `format_version` and the given members, and a newline at its end."""
    return orjson.dumps(
        {"format_version": FORMAT_VERSION, **members}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    )
