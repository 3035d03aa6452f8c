"""Reads the findings of all states from an index, selected by a project's rules, settings and baseline.

No state is read again: the index has everything that the findings of `check` depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from statefmt.fleet._masking import fix_of
from statefmt.fleet.connection import made_by, open_to_read, way_out
from statefmt.fleet.tables import FleetError
from statefmt.formats.raw_json.positions import Position
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.lint.checked import CheckedState, UnreadableState, fixable_among
from statefmt.lint.gate import Gate
from statefmt.lint.registry import rules_for
from statefmt.lint.rule import found_while_reading
from statefmt.model.errors import Wording
from statefmt.model.findings import Code, Finding, Place, Severity
from statefmt.store.backends import RemoteLocation
from statefmt.store.reading import GIT

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


# The approximate number of findings in memory at a time: sorting all in the database takes gigabytes.
_BATCH: Final = 20_000


class _State(Struct, array_like=True, frozen=True):
    state_id: str
    uri: str
    format_version: int | None
    short_addresses: bool
    findings: int


class _Row(Struct, array_like=True, frozen=True, gc=False):
    state_id: str
    code: Code
    severity: Severity
    address: str
    pointer: str
    summary: str
    detail: str
    fix: str | None
    snippet: str
    line: int | None
    col: int | None


_STATES: Final = """
    SELECT state_id, uri, format_version, short_addresses, count(code) FROM states LEFT JOIN findings USING (state_id)
    WHERE error IS NULL OR code IS NOT NULL
    GROUP BY ALL
    ORDER BY uri, state_id
"""
_FINDINGS: Final = f"""
    SELECT {", ".join(_Row.__struct_fields__)} FROM findings
    WHERE state_id IN (SELECT unnest($1))
    ORDER BY state_id, number
"""
_UNREADABLE: Final = """
    SELECT uri, error FROM states
    WHERE error IS NOT NULL AND state_id NOT IN (SELECT state_id FROM findings)
    ORDER BY uri
"""


class StoredFindings:
    """The findings in an open index. `stored_findings()` opens one.

    `unreadable` are the states that could not be read. Iterating yields the other states, in the order of their places,
    without keeping them.
    """

    def __init__(self, connection: DuckDBPyConnection, gate: Gate) -> None:
        self._connection = connection
        self._gate = gate
        self.unreadable: Sequence[UnreadableState] = [
            UnreadableState(_name(uri), f"{uri}: {error}")
            for uri, error in msgspec.convert(connection.execute(_UNREADABLE).fetchall(), list[tuple[str, str]])
        ]
        self._noticed_by_reader = frozenset(
            code for code, rule in rules_for().items() if rule.check is found_while_reading
        )

    def __iter__(self) -> Iterator[CheckedState]:
        states = msgspec.convert(self._connection.execute(_STATES).fetchall(), list[_State])
        for batch in _batches(states):
            found = self._connection.execute(_FINDINGS, [[state.state_id for state in batch]]).fetchall()
            rows = {
                state_id: list(of_one)
                for state_id, of_one in groupby(msgspec.convert(found, list[_Row]), attrgetter("state_id"))
            }
            for state in batch:
                yield self._checked(state, rows.pop(state.state_id, ()))

    def _checked(self, state: _State, rows: Iterable[_Row]) -> CheckedState:
        name = _name(state.uri)
        positions: dict[str, Position] = {}
        findings = [_finding(name, row, positions) for row in rows]
        new, hidden = self._gate.kept(name, findings)
        if state.format_version != CURRENT_VERSION:
            return CheckedState(name, new, positions, hidden)
        noticed = {finding.code for finding in findings} & self._noticed_by_reader
        fixes = fixable_among(new, noticed, has_short_addresses=lambda: state.short_addresses)
        return CheckedState(name, new, positions, hidden, fixes)


@contextmanager
def stored_findings(path: Path, gate: Gate) -> Iterator[StoredFindings]:
    """Open an index to read the findings of its states, selected by `gate` and its baseline.

    Ignores a release, a configuration and schemas of the gate. Raises FleetError if the file is not an index with the
    findings of all rules of this release.
    """
    connection = open_to_read(path)
    import duckdb

    try:
        _require_checked(connection, path)
        yield StoredFindings(connection, gate)
    except (duckdb.Error, msgspec.MsgspecError) as error:
        reason = str(error).splitlines()[0]
        raise FleetError(f"{path}: cannot read the findings of this index: {reason}{way_out(path, error)}") from error
    finally:
        connection.close()


def _require_checked(connection: DuckDBPyConnection, path: Path) -> None:
    """Refuse an index without findings for some states: its check would pass."""
    last = connection.execute("SELECT finished IS NULL FROM runs ORDER BY run_id DESC LIMIT 1").fetchone()
    if last is None or last[0]:
        raise FleetError(f"{path}: the last `statetool fleet index` did not finish; run it again")
    current = [made_by(checks=True, attributes=attributes) for attributes in (False, True)]
    counts = connection.execute(
        "SELECT count(*), count(*) FILTER (NOT list_contains(?, made_by)) FROM states", [current]
    ).fetchone()
    assert counts is not None
    states, others = counts
    if not states:
        raise FleetError(f"{path}: this index has no states; index some with `statetool fleet index SOURCE...`")
    if others:
        raise FleetError(
            f"{path}: {others:,} of {states:,} states were not checked with the rules of this release; index them "
            "again, with `statetool fleet index SOURCE...`",
            Wording(" and without --no-check", " and with checks=True"),
        )


def _batches(states: Iterable[_State]) -> Iterator[list[_State]]:
    batch: list[_State] = []
    size = 0
    for state in states:
        batch.append(state)
        size += state.findings
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    yield batch


def _name(uri: str) -> str:
    is_url = "://" in uri and not uri.startswith(("/", GIT))
    return RemoteLocation(uri) if is_url else uri


def _finding(name: str, row: _Row, positions: dict[str, Position]) -> Finding:
    place = None
    if row.line is not None and row.col is not None:
        position = Position(row.line, row.col)
        if positions.setdefault(row.pointer, position) != position:
            # All hidden pointers are equal.
            place = Place(name, *position, *position)
    return Finding(
        row.code, row.severity, row.summary, row.detail, row.address, row.pointer, fix_of(row.fix, row.snippet), place
    )
