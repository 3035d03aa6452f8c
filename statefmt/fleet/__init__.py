"""Many states as tables: an index in DuckDB, and read-only queries over it.

`index_states()` reads the states that have changed and stores what they say, without sensitive values; `query()` runs
SQL over the result, and `stored_findings()` gives what the rules found. `run_difference()` compares
two runs. All need the package duckdb: the extra `fleet`.
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.fleet._checked_states import StoredFindings as StoredFindings, stored_findings as stored_findings
    from statefmt.fleet.errors import FleetError as FleetError
    from statefmt.fleet.index.refresh import (
        IndexOptions as IndexOptions,
        IndexRun as IndexRun,
        index_states as index_states,
    )
    from statefmt.fleet.queries.duplicates import (
        DuplicateObject as DuplicateObject,
        LineageCopies as LineageCopies,
        ManagedPlace as ManagedPlace,
        StateCopy as StateCopy,
        duplicate_objects as duplicate_objects,
        state_copies as state_copies,
    )
    from statefmt.fleet.queries.overview import (
        FleetOverview as FleetOverview,
        IndexedRun as IndexedRun,
        IndexedState as IndexedState,
        ReleaseUse as ReleaseUse,
        StateGrowth as StateGrowth,
        StateReaders as StateReaders,
        fleet_overview as fleet_overview,
    )
    from statefmt.fleet.queries.references import (
        FleetGraph as FleetGraph,
        FleetNode as FleetNode,
        FleetReference as FleetReference,
        UnknownReference as UnknownReference,
        fleet_graph as fleet_graph,
    )
    from statefmt.fleet.queries.run import (
        QueryResult as QueryResult,
        StreamedResult as StreamedResult,
        parquet_blocks as parquet_blocks,
        query as query,
        streamed_query as streamed_query,
    )
    from statefmt.fleet.queries.saved import (
        SavedQuery as SavedQuery,
        saved_queries as saved_queries,
        saved_query as saved_query,
    )
    from statefmt.fleet.runs.difference import run_difference as run_difference
    from statefmt.fleet.runs.model import (
        FindingDifference as FindingDifference,
        ObjectDifference as ObjectDifference,
        OutputDifference as OutputDifference,
        RunChangeKind as RunChangeKind,
        RunDifference as RunDifference,
        StateDifference as StateDifference,
        StateFacts as StateFacts,
    )
    from statefmt.fleet.runs.named import FleetRun as FleetRun
    from statefmt.fleet.work.cluster import Cluster as Cluster, WorkerEntry as WorkerEntry
    from statefmt.fleet.work.worker import answer_job as answer_job
