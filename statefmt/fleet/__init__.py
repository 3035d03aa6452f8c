"""Many states as tables: an index in DuckDB, and read-only queries over it.

`index_states()` reads changed states and stores their content, without sensitive values; `query()` runs SQL over the
index, and `stored_findings()` returns the findings of the rules. `run_difference()` compares two runs. All need the
package duckdb: the extra `fleet`.
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.fleet._checked_states import StoredFindings as StoredFindings, stored_findings as stored_findings
    from statefmt.fleet._dask import answer_job as answer_job
    from statefmt.fleet._refresh import IndexOptions as IndexOptions, IndexRun as IndexRun, index_states as index_states
    from statefmt.fleet._runs import (
        FindingDifference as FindingDifference,
        FleetRun as FleetRun,
        ObjectDifference as ObjectDifference,
        OutputDifference as OutputDifference,
        RunChangeKind as RunChangeKind,
        RunDifference as RunDifference,
        StateDifference as StateDifference,
        StateFacts as StateFacts,
        run_difference as run_difference,
    )
    from statefmt.fleet._work import Cluster as Cluster, WorkerEntry as WorkerEntry
    from statefmt.fleet.queries import (
        DuplicateObject as DuplicateObject,
        FleetGraph as FleetGraph,
        FleetNode as FleetNode,
        FleetOverview as FleetOverview,
        FleetReference as FleetReference,
        IndexedRun as IndexedRun,
        IndexedState as IndexedState,
        LineageCopies as LineageCopies,
        ManagedPlace as ManagedPlace,
        QueryResult as QueryResult,
        ReleaseUse as ReleaseUse,
        SavedQuery as SavedQuery,
        StateCopy as StateCopy,
        StateGrowth as StateGrowth,
        StateReaders as StateReaders,
        StreamedResult as StreamedResult,
        UnknownReference as UnknownReference,
        duplicate_objects as duplicate_objects,
        fleet_graph as fleet_graph,
        fleet_overview as fleet_overview,
        parquet_blocks as parquet_blocks,
        query as query,
        saved_queries as saved_queries,
        saved_query as saved_query,
        state_copies as state_copies,
        streamed_query as streamed_query,
    )
    from statefmt.fleet.tables import FleetError as FleetError
