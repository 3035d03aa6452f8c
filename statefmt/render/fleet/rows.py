"""Renders the rows of a query as a table, as JSON or as CSV, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any

from statefmt.render.csv_output import csv_text
from statefmt.render.json_output import document, json_text
from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import StreamedResult

# Values that JSON has itself.
_PLAIN = (str, int, float, bool, type(None))


def rows_text(result: StreamedResult, terminal: Terminal) -> Iterator[str]:
    """Yield rows as tables, one for each batch, so that the widths of columns are known; null as an empty cell."""
    yield _table(result.columns, next(result.batches, ()), terminal)
    for batch in result.batches:
        yield _table(result.columns, batch, terminal)


def rows_json(result: StreamedResult) -> Iterator[bytes]:
    """Yield JSON: the names of the columns, and an array for each row (schema: `fleet-query-output.schema.json`)."""
    start, end = document({"columns": list(result.columns), "rows": []}).rsplit(b"[]", 1)
    yield start + b"["
    before = b"\n    "
    for batch in result.batches:
        lines = [json_text([_json(value) for value in row]) for row in batch]
        yield before + b",\n    ".join(lines)
        before = b",\n    "
    yield (b"]" if before == b"\n    " else b"\n  ]") + end


def rows_csv(result: StreamedResult) -> Iterator[bytes]:
    """Yield CSV with a heading; null as an empty cell."""
    yield csv_text([result.columns])
    for batch in result.batches:
        yield csv_text([[_cell(value) for value in row] for row in batch])


def _table(columns: Sequence[str], batch: Sequence[Sequence[Any]], terminal: Terminal) -> str:
    rows = [["" if value is None else printable(_text(value)) for value in row] for row in batch]
    numbers = [all(isinstance(row[place], (int, float, type(None))) for row in batch) for place in range(len(columns))]
    right = "".join("r" if is_number and rows else "l" for is_number in numbers)
    return table([printable(name) for name in columns], rows, terminal, right=right)


def _cell(value: object) -> object:
    # DuckDB has decimals, too.
    is_number = isinstance(value, Number) and not isinstance(value, bool)
    return value if value is None or is_number else _text(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return str(value)


def _json(value: object) -> object:
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    if isinstance(value, float) and value - value != 0:
        # JSON has no infinity.
        return str(value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _json(item) for name, item in value.items()}
    return str(value)
