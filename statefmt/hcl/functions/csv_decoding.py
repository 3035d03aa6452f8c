"""Parses CSV as Go does: quotes only around whole fields, empty lines skipped.

Source: Go `encoding/csv` with default settings.
"""

from __future__ import annotations

import re
from typing import Final

from statefmt.hcl.functions.registry import FunctionError

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
