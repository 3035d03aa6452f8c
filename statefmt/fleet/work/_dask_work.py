"""Submits chunks to a Dask cluster, collects their rows, and finds the states that kill workers.

Bytes travel, one way and the other: Dask pickles no objects of statetool but the name of the function that workers run.
A chunk whose workers died more often than the scheduler allows is divided, and its states are read one at a time when
nothing else is running, so that only the one that kills its worker is blamed.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from itertools import count
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final

import msgspec

from statefmt.context import RunContext
from statefmt.fleet.errors import FleetError
from statefmt.fleet.tables import STATE_TABLES
from statefmt.fleet.work._message import decoded_answer
from statefmt.fleet.work._scheduler import lost
from statefmt.fleet.work.cluster import Cluster
from statefmt.fleet.work.task import Done, Task, worker_died
from statefmt.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

# In seconds: how often to look whether there are workers.
_INTERVAL: Final = 1.0
# Where the scheduler says that a worker has gone.
_TOPIC: Final = "all"


class DaskWork:
    """The chunks that a cluster is reading."""

    def __init__(
        self, client: Client, cluster: Cluster, context: RunContext, encoded: Callable[[Sequence[Task]], bytes]
    ) -> None:
        self._client = client
        self._cluster = cluster
        self._context = context
        self._encoded = encoded
        # Names nothing: keys of tasks are in logs and on the dashboard.
        self._name = f"statetool-{secrets.token_hex(8)}"
        self._numbers = count()
        self._running: dict[str, Future[Any]] = {}
        self._deaths: SimpleQueue[None] = SimpleQueue()
        self._is_waiting = False
        client.subscribe_topic(_TOPIC, self._event)

    def results(self, chunks: Sequence[Sequence[Task]], here: Iterator[Done]) -> Iterator[Done]:
        """Yield the rows of chunks as workers return them, and meanwhile those that are made `here`.

        Raises FleetError if the cluster cannot go on.
        """
        waiting, suspects = deque(chunks), deque[Task]()
        finished: SimpleQueue[str] = SimpleQueue()
        running: dict[str, Sequence[Task]] = {}
        alone = ""
        while waiting or running or suspects:
            while waiting and len(running) < self._room():
                chunk = waiting.popleft()
                running[self._submit(chunk, finished)] = chunk
            if not running:
                chunk = [suspects.popleft()]
                alone = self._submit(chunk, finished)
                running[alone] = chunk
            made = next(here, None)
            if made is not None:
                yield made
                if finished.empty():
                    continue
            key = self._next(finished)
            chunk = running.pop(key)
            done = self._collected(key, chunk)
            if done is not None:
                yield msgspec.structs.replace(done, deaths=self._new_deaths())
            elif key == alone:
                yield worker_died(chunk[0], self._new_deaths())
            else:
                suspects.extend(chunk)
        yield from here

    def cancel(self) -> None:
        """Cancel the chunks that are left; workers finish those that they have begun."""
        futures = list(self._running.values())
        with suppress(Exception):
            self._client.unsubscribe_topic(_TOPIC)
            if futures:
                self._client.cancel(futures)

    def _room(self) -> int:
        """Return how many chunks to submit at a time: enough to keep workers busy, and few enough for the memory."""
        return 2 * sum(self._threads().values()) + 2

    def _threads(self) -> dict[str, int]:
        try:
            threads: dict[str, int] = self._client.nthreads()
        except (OSError, TimeoutError, RuntimeError) as error:
            raise lost(self._cluster) from error
        if not threads:
            self._context.phase("waiting for workers")
            if self._context.progress is None and not self._is_waiting:
                self._context.note(f"{self._cluster.scheduler}: there are no workers yet; waiting for them")
        elif self._is_waiting:
            self._context.phase("indexing")
        self._is_waiting = not threads
        return threads

    def _submit(self, chunk: Sequence[Task], finished: SimpleQueue[str]) -> str:
        key = f"{self._name}-{next(self._numbers)}"
        future = self._client.submit(self._cluster.entry, self._encoded(chunk), key=key, pure=False)
        self._running[key] = future
        future.add_done_callback(lambda _: finished.put(key))
        return key

    def _next(self, finished: SimpleQueue[str]) -> str:
        while True:
            try:
                return finished.get(timeout=_INTERVAL)
            except Empty:
                if self._client.status not in {"running", "connecting"}:
                    raise lost(self._cluster) from None
                self._threads()

    def _collected(self, key: str, chunk: Sequence[Task]) -> Done | None:
        """Return the rows of a chunk, None if its workers died."""
        from distributed.scheduler import KilledWorker

        future = self._running.pop(key)
        try:
            data = future.result()
        except KilledWorker:
            return None
        except (CancelledError, OSError) as error:
            raise lost(self._cluster) from error
        except Exception as error:
            raise FleetError(f"{self._cluster.scheduler}: a worker failed: {_said(error)}") from error
        try:
            answer = decoded_answer(data)
        except msgspec.MsgspecError as error:
            raise FleetError(f"{self._cluster.scheduler}: a worker sent something else than rows") from error
        if answer.refused:
            raise FleetError(
                f"{self._cluster.scheduler}: a worker refused: {answer.refused}, and this is statetool {__version__}; "
                "install the same one there"
            )
        done = answer.done
        wanted = {task.origin.state_id for task in chunk}
        if done is None or set(done.state_ids) != wanted or not done.lines.keys() <= STATE_TABLES.keys():
            raise FleetError(f"{self._cluster.scheduler}: a worker sent rows of other states")
        return done

    def _event(self, event: tuple[float, Any]) -> None:
        about = event[1]
        if isinstance(about, dict) and about.get("action") == "remove-worker" and not about.get("expected"):
            lost_here = [key for key in about.get("processing-tasks", ()) if str(key).startswith(self._name)]
            if lost_here:
                self._deaths.put(None)

    def _new_deaths(self) -> int:
        found = 0
        with suppress(Empty):
            while True:
                self._deaths.get_nowait()
                found += 1
        return found


def _said(error: Exception) -> str:
    return f"{error.__class__.__name__}: {next(iter(str(error).splitlines()), '')}"
