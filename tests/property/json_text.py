"""JSON as Go's encoder writes it, by the rules of its documentation."""

from __future__ import annotations

import re

_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')
_HTML = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def as_go_writes_raw(text: str) -> str:
    """A raw JSON text as Go's encoder passes it on: no white space, HTML characters escaped, all else as it is."""
    return re.sub("[<>&\u2028\u2029]", lambda match: _HTML[match[0]], _STRING_OR_SPACE.sub(r"\1", text))
