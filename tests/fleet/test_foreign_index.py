"""An index that another program has changed is refused before a query of statetool runs over it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from statefmt import run_context
from statefmt.fleet import FleetError, IndexOptions, index_states, query
from tests.fleet.planting import indexed, planted
from tests.tables import each_row

duckdb = pytest.importorskip("duckdb")

_REFUSED: Final = "another program has changed this index|this database is not an index"


@each_row(
    "changes",
    [
        # Views could have no end, and read files while an index is refreshed.
        ["ALTER TABLE states RENAME TO s", "CREATE VIEW states AS SELECT s.* FROM s, range(1000000000000)"],
        ["ALTER TABLE settings RENAME TO s", "CREATE VIEW settings AS SELECT s.* FROM s, read_text('/etc/passwd')"],
        # Macros replace functions, also those that look for macros.
        ["CREATE MACRO coalesce2(x) AS 1", "CREATE MACRO duckdb_functions() AS TABLE SELECT 1 WHERE false"],
        ["CREATE MACRO lower(x) AS 'evil'"],
        ["ALTER TABLE states DROP COLUMN serial"],
        ["ALTER TABLE findings ALTER severity TYPE INTEGER USING 5"],
        ["ALTER TABLE runs ADD COLUMN more BIGINT"],
        ["ALTER TABLE runs ALTER n_states SET DEFAULT 5"],
        ["DROP TABLE history"],
        ["UPDATE settings SET key = NULL"],
        ["UPDATE settings SET key = 'short'::BLOB"],
        ["INSERT INTO settings SELECT * FROM settings"],
        ["DELETE FROM settings"],
    ],
)
def test_what_others_changed_is_refused(changes: list[str], tmp_path: Path) -> None:
    index = indexed(tmp_path, {"a": planted()})
    with duckdb.connect(str(index)) as connection:
        for sql in changes:
            connection.execute(sql)
    with pytest.raises(FleetError, match=_REFUSED):
        query(index, "SELECT 1")
    with pytest.raises(FleetError, match=_REFUSED):
        index_states(run_context(), [str(tmp_path / "states")], index, IndexOptions())


def test_own_views_beside_the_tables_are_fine(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"a": planted()})
    with duckdb.connect(str(index)) as connection:
        connection.execute("CREATE VIEW mine AS SELECT count(*) FROM states")
    assert query(index, "FROM mine").rows == [(1,)]
