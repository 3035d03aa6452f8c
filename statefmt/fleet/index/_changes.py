"""Records what a run changes in the rows of states that earlier runs had, so that any two runs can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final

from statefmt.fleet.tables import FindingChangeRow, ObjectChangeRow, OutputChangeRow

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The tables that are compared, with that of their changes, and the columns that both have.
_COMPARED: Final = tuple(
    (table, changes, ", ".join(row.__struct_fields__[1:-1]))
    for table, changes, row in (
        ("objects", "object_changes", ObjectChangeRow),
        ("outputs", "output_changes", OutputChangeRow),
        ("findings", "finding_changes", FindingChangeRow),
    )
)


class RunChanges:
    """Records the changes of one run."""

    def __init__(self, connection: DuckDBPyConnection) -> None:
        self._connection = connection

    @contextmanager
    def recorded(self, run_id: int, state_ids: Sequence[str]) -> Iterator[None]:
        """Record what the block changes in the rows of those states that an earlier run had.

        Use it within a transaction.
        """
        compared = [state_id for state_id in state_ids if state_id in self._earlier]
        if not compared:
            yield
            return
        for table, _, names in _COMPARED:
            self._connection.execute(
                f"CREATE OR REPLACE TEMP TABLE old_{table} AS "
                f"SELECT {names} FROM {table} WHERE state_id IN (SELECT unnest(?))",
                [compared],
            )
        yield
        for table, changes, names in _COMPARED:
            # Rows may repeat: a broken state can have an address twice. So they are counted.
            self._connection.execute(
                f"INSERT INTO {changes} SELECT ?, {names}, sum(change) AS change FROM ("
                f"SELECT {names}, -1 AS change FROM temp.old_{table} UNION ALL "
                f"SELECT {names}, 1 FROM {table} WHERE state_id IN (SELECT unnest(?))) "
                "GROUP BY ALL HAVING sum(change) != 0",
                [run_id, compared],
            )
            self._connection.execute(f"DROP TABLE temp.old_{table}")

    @cached_property
    def _earlier(self) -> frozenset[str]:
        """The states that an earlier run had. All that is in others is new, which `history` says."""
        rows = self._connection.execute("SELECT DISTINCT state_id FROM history").fetchall()
        return frozenset(state_id for (state_id,) in rows)
