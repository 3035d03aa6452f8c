"""Reads states on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from statefmt.context import RunContext
from statefmt.fleet.errors import FleetError
from statefmt.fleet.limits import StateLimits
from statefmt.fleet.rows.extract import Wanted
from statefmt.fleet.work._dask_work import DaskWork
from statefmt.fleet.work._message import encoded_job, sent
from statefmt.fleet.work._scheduler import connected
from statefmt.fleet.work.cluster import Cluster
from statefmt.fleet.work.task import Done, ReadRows, Task, work_on


class DaskSpread:
    """Works on the workers of a cluster; see Spread. What only this process can read, it reads with `read`."""

    def __init__(
        self, context: RunContext, cluster: Cluster, wanted: Wanted, checks: bool, limits: StateLimits, read: ReadRows
    ) -> None:
        self._context = context
        self._cluster = cluster
        self._wanted = wanted
        self._checks = checks
        self._limits = limits
        self._read = read

    @contextmanager
    def started(self, chunks: Sequence[Sequence[Task]]) -> Iterator[Iterator[Done]]:
        """Connect, and yield the results as they come; see Spread."""
        if self._context.backend is not None and self._context.backend.settings:
            raise FleetError("settings of a backend are not sent to a scheduler; set them on its workers")
        there = ([task for task in chunk if sent(task) is not None] for chunk in chunks)
        here = ([task for task in chunk if sent(task) is None] for chunk in chunks)
        made = (work_on(chunk, self._read) for chunk in here if chunk)
        with connected(self._cluster) as client:
            work = DaskWork(client, self._cluster, self._context, self._encoded)
            try:
                yield work.results([chunk for chunk in there if chunk], made)
            finally:
                work.cancel()

    def _encoded(self, chunk: Sequence[Task]) -> bytes:
        tasks = tuple(one for one in map(sent, chunk) if one is not None)
        return encoded_job(self._context, tasks, self._wanted, self._checks, self._limits)
