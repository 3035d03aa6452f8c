"""Encodes the rows of a table as lines, in the form that DuckDB reads fastest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

# Longer data may have lines that DuckDB's reader of CSV refuses.
_LONGEST: Final = 1 << 26
_ENCODER: Final = msgspec.json.Encoder()


def lines_of(rows: Sequence[Struct]) -> bytes:
    r"""Encode rows, one a line: those of the large tables as JSON arrays, all others as JSON objects.

    Without its brackets, such an array is a line of CSV with `\` as the escape. If DuckDB could not read it as that,
    these rows are objects, too.
    """
    data = _ENCODER.encode_lines(rows)
    if data[:1] == b"[" and (len(data) > _LONGEST or _has_other_escapes(data)):
        return _ENCODER.encode_lines([msgspec.structs.asdict(row) for row in rows])
    return data


def by_state(lines: bytes) -> dict[str, bytes]:
    """Return the lines of each state by its id, which is the first value of every row."""
    found: dict[str, bytearray] = {}
    for line in lines.splitlines(keepends=True):
        row = msgspec.json.decode(line)
        state_id = row["state_id"] if isinstance(row, dict) else row[0]
        found.setdefault(state_id, bytearray()).extend(line)
    return {state_id: bytes(data) for state_id, data in found.items()}


def as_csv(lines: bytes) -> tuple[bytes | memoryview, bytes]:
    """Return the rows that are arrays as CSV, and those that are objects as they are."""
    if lines[:1] == b"[" and b"\n{" not in lines:
        # Without the first bracket and the last one. The lines are long, so each copy counts.
        return memoryview(lines.replace(b"]\n[", b"\n"))[1:-2], b""
    arrays = bytearray()
    objects = bytearray()
    for line in lines.splitlines(keepends=True):
        if line[:1] == b"[":
            arrays += line[1:-2] + b"\n"
        else:
            objects += line
    return bytes(arrays[:-1]), bytes(objects)


def _has_other_escapes(data: bytes) -> bool:
    """Return whether JSON has an escape that CSV does not have, which only control characters need."""
    # Nearly always, each backslash is before a quote.
    if data.count(b"\\") == data.count(b'\\"'):
        return False
    return b"\\" in data.replace(b"\\\\", b"").replace(b'\\"', b"")
