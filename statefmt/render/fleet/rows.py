"""Renders the rows of a query as a table, as JSON or as CSV."""

from __future__ import annotations

import csv
import io

from statefmt.fleet import QueryResult
from statefmt.render.json_output import document
from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal

# Values that JSON has itself.
_PLAIN = (str, int, float, bool, type(None))


def rows_text(result: QueryResult, terminal: Terminal) -> str:
    """Render rows as a table; null as an empty cell."""
    rows = [["" if value is None else printable(_text(value)) for value in row] for row in result.rows]
    numbers = [
        all(isinstance(row[place], (int, float, type(None))) for row in result.rows)
        for place in range(len(result.columns))
    ]
    right = "".join("r" if is_number and rows else "l" for is_number in numbers)
    return table([printable(name) for name in result.columns], rows, terminal, right=right)


def rows_json(result: QueryResult) -> bytes:
    """Render rows as JSON: the names of the columns, and an array for each row."""
    return document({"columns": list(result.columns), "rows": [[_json(value) for value in row] for row in result.rows]})


def rows_csv(result: QueryResult) -> bytes:
    """Render rows as CSV with a heading, as RFC 4180 describes; null as an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(result.columns)
    writer.writerows([["" if value is None else _text(value) for value in row] for row in result.rows])
    return text.getvalue().encode()


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return str(value)


def _json(value: object) -> object:
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _json(item) for name, item in value.items()}
    return str(value)
