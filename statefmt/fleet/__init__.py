"""Many states as tables: an index in DuckDB, and read-only queries over it.

`index_states()` reads the states that have changed and stores what they say, without sensitive values; `query()` runs
SQL over the result, and `stored_findings()` gives what the rules found. All need the package duckdb:
`pip install statetool[fleet]`.
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.fleet._checked_states import StoredFindings, stored_findings
    from statefmt.fleet.errors import FleetError
    from statefmt.fleet.index.refresh import IndexOptions, IndexRun, index_states
    from statefmt.fleet.queries.run import QueryResult, query, write_parquet
    from statefmt.fleet.queries.saved import SavedQuery, saved_queries, saved_query
    from statefmt.fleet.work.cluster import Cluster, WorkerEntry
    from statefmt.fleet.work.worker import answer

__all__ = [
    "Cluster",
    "FleetError",
    "IndexOptions",
    "IndexRun",
    "QueryResult",
    "SavedQuery",
    "StoredFindings",
    "WorkerEntry",
    "answer",
    "index_states",
    "query",
    "saved_queries",
    "saved_query",
    "stored_findings",
    "write_parquet",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Cluster": "statefmt.fleet.work.cluster",
        "FleetError": "statefmt.fleet.errors",
        "IndexOptions": "statefmt.fleet.index.refresh",
        "IndexRun": "statefmt.fleet.index.refresh",
        "QueryResult": "statefmt.fleet.queries.run",
        "SavedQuery": "statefmt.fleet.queries.saved",
        "StoredFindings": "statefmt.fleet._checked_states",
        "WorkerEntry": "statefmt.fleet.work.cluster",
        "answer": "statefmt.fleet.work.worker",
        "index_states": "statefmt.fleet.index.refresh",
        "query": "statefmt.fleet.queries.run",
        "saved_queries": "statefmt.fleet.queries.saved",
        "saved_query": "statefmt.fleet.queries.saved",
        "stored_findings": "statefmt.fleet._checked_states",
        "write_parquet": "statefmt.fleet.queries.run",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
