"""Reads states in this process."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from statefmt.fleet.work.task import Done, ReadRows, Task, work_on


class InProcess:
    """Works in this process; see Spread."""

    def run(self, chunks: Sequence[Sequence[Task]], read: ReadRows) -> Generator[Done, None, None]:
        """Yield the rows of each chunk in order."""
        for chunk in chunks:
            yield work_on(chunk, read)
