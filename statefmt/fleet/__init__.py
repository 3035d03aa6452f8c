"""Many states as tables: an index in DuckDB, and read-only queries over it.

`index_states()` reads the states that have changed and stores what they say, without sensitive values; `query()` runs
SQL over the result, and `stored_findings()` gives what the rules found. `run_difference()` compares
two runs. All need the package duckdb: the extra `fleet`.
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.fleet._checked_states import StoredFindings, stored_findings
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
    from statefmt.fleet.queries.overview import (
        FleetOverview,
        IndexedRun,
        IndexedState,
        ReleaseUse,
        StateGrowth,
        StateReaders,
        fleet_overview,
    )
    from statefmt.fleet.queries.references import FleetGraph, FleetNode, FleetReference, UnknownReference, fleet_graph
    from statefmt.fleet.queries.run import QueryResult, StreamedResult, parquet_blocks, query, streamed_query
    from statefmt.fleet.queries.saved import SavedQuery, saved_queries, saved_query
    from statefmt.fleet.runs.difference import run_difference
    from statefmt.fleet.runs.model import (
        FindingDifference,
        ObjectDifference,
        OutputDifference,
        RunChangeKind,
        RunDifference,
        StateDifference,
        StateFacts,
    )
    from statefmt.fleet.runs.named import FleetRun
    from statefmt.fleet.work.cluster import Cluster, WorkerEntry
    from statefmt.fleet.work.worker import answer_job

__all__ = [
    "Cluster",
    "DuplicateObject",
    "FindingDifference",
    "FleetError",
    "FleetGraph",
    "FleetNode",
    "FleetOverview",
    "FleetReference",
    "FleetRun",
    "IndexOptions",
    "IndexRun",
    "IndexedRun",
    "IndexedState",
    "LineageCopies",
    "ManagedPlace",
    "ObjectDifference",
    "OutputDifference",
    "QueryResult",
    "ReleaseUse",
    "RunChangeKind",
    "RunDifference",
    "SavedQuery",
    "StateCopy",
    "StateDifference",
    "StateFacts",
    "StateGrowth",
    "StateReaders",
    "StoredFindings",
    "StreamedResult",
    "UnknownReference",
    "WorkerEntry",
    "answer_job",
    "duplicate_objects",
    "fleet_graph",
    "fleet_overview",
    "index_states",
    "parquet_blocks",
    "query",
    "run_difference",
    "saved_queries",
    "saved_query",
    "state_copies",
    "stored_findings",
    "streamed_query",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Cluster": "statefmt.fleet.work.cluster",
        "DuplicateObject": "statefmt.fleet.queries.duplicates",
        "FindingDifference": "statefmt.fleet.runs.model",
        "FleetError": "statefmt.fleet.errors",
        "FleetGraph": "statefmt.fleet.queries.references",
        "FleetNode": "statefmt.fleet.queries.references",
        "FleetOverview": "statefmt.fleet.queries.overview",
        "FleetReference": "statefmt.fleet.queries.references",
        "FleetRun": "statefmt.fleet.runs.named",
        "IndexOptions": "statefmt.fleet.index.refresh",
        "IndexRun": "statefmt.fleet.index.refresh",
        "IndexedRun": "statefmt.fleet.queries.overview",
        "IndexedState": "statefmt.fleet.queries.overview",
        "LineageCopies": "statefmt.fleet.queries.duplicates",
        "ManagedPlace": "statefmt.fleet.queries.duplicates",
        "ObjectDifference": "statefmt.fleet.runs.model",
        "OutputDifference": "statefmt.fleet.runs.model",
        "QueryResult": "statefmt.fleet.queries.run",
        "ReleaseUse": "statefmt.fleet.queries.overview",
        "RunChangeKind": "statefmt.fleet.runs.model",
        "RunDifference": "statefmt.fleet.runs.model",
        "SavedQuery": "statefmt.fleet.queries.saved",
        "StateCopy": "statefmt.fleet.queries.duplicates",
        "StateDifference": "statefmt.fleet.runs.model",
        "StateFacts": "statefmt.fleet.runs.model",
        "StateGrowth": "statefmt.fleet.queries.overview",
        "StateReaders": "statefmt.fleet.queries.overview",
        "StoredFindings": "statefmt.fleet._checked_states",
        "StreamedResult": "statefmt.fleet.queries.run",
        "UnknownReference": "statefmt.fleet.queries.references",
        "WorkerEntry": "statefmt.fleet.work.cluster",
        "answer_job": "statefmt.fleet.work.worker",
        "duplicate_objects": "statefmt.fleet.queries.duplicates",
        "fleet_graph": "statefmt.fleet.queries.references",
        "fleet_overview": "statefmt.fleet.queries.overview",
        "index_states": "statefmt.fleet.index.refresh",
        "parquet_blocks": "statefmt.fleet.queries.run",
        "query": "statefmt.fleet.queries.run",
        "run_difference": "statefmt.fleet.runs.difference",
        "saved_queries": "statefmt.fleet.queries.saved",
        "saved_query": "statefmt.fleet.queries.saved",
        "state_copies": "statefmt.fleet.queries.duplicates",
        "stored_findings": "statefmt.fleet._checked_states",
        "streamed_query": "statefmt.fleet.queries.run",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
