"""Many states as tables: an index in DuckDB, and read-only queries over it.

`index_states()` reads the states that have changed and stores what they say, without sensitive values; `query()` runs
SQL over the result. Both need the package duckdb: `pip install statetool[fleet]`.
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.fleet.errors import FleetError
    from statefmt.fleet.index.refresh import IndexOptions, IndexRun, index_states
    from statefmt.fleet.queries.duplicates import (
        DuplicateObject,
        LineageCopies,
        ManagedPlace,
        StateCopy,
        duplicate_objects,
        state_copies,
    )
    from statefmt.fleet.queries.references import FleetGraph, FleetNode, FleetReference, UnknownReference, fleet_graph
    from statefmt.fleet.queries.run import (
        QueryResult,
        StreamedResult,
        parquet_blocks,
        query,
        streamed_query,
        write_parquet,
    )
    from statefmt.fleet.queries.saved import SavedQuery, saved_queries, saved_query

__all__ = [
    "DuplicateObject",
    "FleetError",
    "FleetGraph",
    "FleetNode",
    "FleetReference",
    "IndexOptions",
    "IndexRun",
    "LineageCopies",
    "ManagedPlace",
    "QueryResult",
    "SavedQuery",
    "StateCopy",
    "StreamedResult",
    "UnknownReference",
    "duplicate_objects",
    "fleet_graph",
    "index_states",
    "parquet_blocks",
    "query",
    "saved_queries",
    "saved_query",
    "state_copies",
    "streamed_query",
    "write_parquet",
]

__getattr__ = lazy_names(
    __name__,
    {
        "DuplicateObject": "statefmt.fleet.queries.duplicates",
        "FleetGraph": "statefmt.fleet.queries.references",
        "FleetNode": "statefmt.fleet.queries.references",
        "FleetReference": "statefmt.fleet.queries.references",
        "LineageCopies": "statefmt.fleet.queries.duplicates",
        "ManagedPlace": "statefmt.fleet.queries.duplicates",
        "StreamedResult": "statefmt.fleet.queries.run",
        "parquet_blocks": "statefmt.fleet.queries.run",
        "streamed_query": "statefmt.fleet.queries.run",
        "UnknownReference": "statefmt.fleet.queries.references",
        "StateCopy": "statefmt.fleet.queries.duplicates",
        "duplicate_objects": "statefmt.fleet.queries.duplicates",
        "fleet_graph": "statefmt.fleet.queries.references",
        "state_copies": "statefmt.fleet.queries.duplicates",
        "FleetError": "statefmt.fleet.errors",
        "IndexOptions": "statefmt.fleet.index.refresh",
        "IndexRun": "statefmt.fleet.index.refresh",
        "QueryResult": "statefmt.fleet.queries.run",
        "SavedQuery": "statefmt.fleet.queries.saved",
        "index_states": "statefmt.fleet.index.refresh",
        "query": "statefmt.fleet.queries.run",
        "saved_queries": "statefmt.fleet.queries.saved",
        "saved_query": "statefmt.fleet.queries.saved",
        "write_parquet": "statefmt.fleet.queries.run",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
