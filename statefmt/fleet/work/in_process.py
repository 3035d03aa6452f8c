"""Reads states in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from statefmt.fleet.work.task import Done, ReadRows, Task, work_on


class InProcess:
    """Works in this process; see Spread."""

    def __init__(self, read: ReadRows) -> None:
        self._read = read

    @contextmanager
    def started(self, chunks: Sequence[Sequence[Task]]) -> Iterator[Iterator[Done]]:
        """Yield the rows of each chunk in order; see Spread."""
        yield (work_on(chunk, self._read) for chunk in chunks)
