"""CSV as Go reads it: quotes only around whole fields, lines without anything passed over.

Source: Go `encoding/csv` in its defaults.
"""

from __future__ import annotations

import re
from typing import Final

from statefmt.hcl.functions.registry import FunctionError

# A field in quotes, or one without, and what ends it.
_FIELD: Final = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>[^,\n]*))(?P<end>,|\n|\Z)')


def decode_csv(source: str) -> list[list[str]]:
    """The fields of each line. Raises FunctionError."""
    # A carriage return before a newline, or at the end, is none of the text.
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
