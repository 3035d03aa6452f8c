"""Reads states on the workers of a Dask cluster: the run that submits them, the messages, and the work there."""

from __future__ import annotations

import logging
import os
import secrets
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import Raw, Struct

from statefmt.context import RunContext
from statefmt.edit.session import state_name
from statefmt.fleet._rows import StateLimits, StateOrigin, StateRows, Wanted, read_rows, unreadable
from statefmt.fleet._work import Cluster, Done, ReadRows, Task, work_on, worker_died
from statefmt.fleet.tables import STATE_TABLES, FleetError
from statefmt.model.errors import StatetoolError, Wording
from statefmt.store.backends import RemoteName, VersionName
from statefmt.store.backends.options import BackendOptions
from statefmt.store.reading import GIT
from statefmt.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future
    from distributed.security import Security


@contextmanager
def on_cluster(
    context: RunContext,
    cluster: Cluster,
    wanted: Wanted,
    checks: bool,
    limits: StateLimits,
    read: ReadRows,
    chunks: Sequence[Sequence[Task]],
) -> Iterator[Iterator[Done]]:
    """Work on the workers of a cluster; see Spread. `read` reads states that only this process can read."""
    if context.backend is not None and context.backend.settings:
        raise FleetError("settings of a backend are not sent to a scheduler; set them on its workers")

    def encoded(chunk: Sequence[Task]) -> bytes:
        return encoded_job(context, tuple(filter(None, map(sent, chunk))), wanted, checks, limits)

    there = ([task for task in chunk if sent(task) is not None] for chunk in chunks)
    here = ([task for task in chunk if sent(task) is None] for chunk in chunks)
    made = (work_on(chunk, read) for chunk in here if chunk)
    with connected(cluster) as client:
        work = DaskWork(client, cluster, context, encoded)
        try:
            yield work.results([chunk for chunk in there if chunk], made)
        finally:
            work.cancel()


# Submits chunks to a Dask cluster, collects their rows, and finds the states that kill workers. Messages are bytes:
# Dask pickles no objects of statetool but the name of the function that workers run. A chunk that killed more workers
# than the scheduler allows is divided, and its states are read one at a time with nothing else running, so that only
# the culprit is blamed.

# In seconds: the interval of checks for workers.
_INTERVAL: Final = 1.0
# The topic in which the scheduler announces lost workers.
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
        # Without names: keys of tasks appear in logs and on the dashboard.
        self._name = f"statetool-{secrets.token_hex(8)}"
        self._numbers = count()
        self._running: dict[str, Future[Any]] = {}
        self._deaths: SimpleQueue[None] = SimpleQueue()
        self._is_waiting = False
        client.subscribe_topic(_TOPIC, self._event)

    def results(self, chunks: Sequence[Sequence[Task]], here: Iterator[Done]) -> Iterator[Done]:
        """Yield the rows of chunks from workers and from `here`, in order of completion.

        Raises FleetError if the cluster fails.
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
        """Cancel the remaining chunks; workers finish the chunks that they have begun."""
        futures = list(self._running.values())
        with suppress(Exception):
            self._client.unsubscribe_topic(_TOPIC)
            if futures:
                self._client.cancel(futures)

    def _room(self) -> int:
        """Return the number of chunks to submit at a time: enough for all workers, and few enough for the memory."""
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
            first = next(iter(str(error).splitlines()), "")
            message = f"{self._cluster.scheduler}: a worker failed: {error.__class__.__name__}: {first}"
            raise FleetError(message) from error
        try:
            answer = _ANSWER.decode(data)
        except (msgspec.MsgspecError, TypeError) as error:
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


# In seconds, for the connection and the first answers.
_PATIENCE: Final = 10
_PACKAGE: Final = "statetool"
_CERTIFICATES: Final = Wording("use --tls-ca, --tls-cert and --tls-key", "set tls_ca, tls_cert and tls_key")
_OF_DASK: Final = "Dask's own configuration has them below distributed.comm.tls"


@contextmanager
def connected(cluster: Cluster) -> Iterator[Client]:
    """Connect to a scheduler. Raises FleetError if that is not possible or allowed, or if releases differ."""
    cluster.check()
    try:
        import distributed
    except ModuleNotFoundError as error:
        from statefmt.installation import how_to_install

        raise FleetError(f"a scheduler needs the package distributed: {how_to_install('cluster')}") from error
    with _quiet(), _client(cluster, distributed.Client) as client:
        _check_versions(client, cluster)
        yield client


@contextmanager
def _client(cluster: Cluster, make: type[Client]) -> Iterator[Client]:
    security = _security(cluster)
    made: SimpleQueue[Client | Exception] = SimpleQueue()

    def connect() -> None:
        try:
            made.put(make(cluster.scheduler, security=security, timeout=_PATIENCE, set_as_default=False, name=_PACKAGE))
        except Exception as error:
            made.put(error)

    with warnings.catch_warnings():
        # About different releases, which are compared below.
        warnings.simplefilter("ignore")
        # Dask waits forever for a server that accepts the connection but uses another protocol.
        Thread(target=connect, daemon=True).start()
        try:
            client = made.get(timeout=2 * _PATIENCE)
        except Empty:
            raise FleetError(f"{cluster.scheduler}: no answer; is this a Dask scheduler?") from None
    if isinstance(client, Exception):
        reason = next(iter(str(client).strip().splitlines()), client.__class__.__name__)
        raise FleetError(f"{cluster.scheduler}: cannot connect to this scheduler: {reason}") from client
    try:
        yield client
    finally:
        client.close(timeout=_PATIENCE)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's logs: they repeat exceptions, or are of no use to the user."""
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    levels = [(logger, logger.level) for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in levels:
            logger.setLevel(level)


def lost(cluster: Cluster) -> FleetError:
    """Return the error for a lost scheduler."""
    return FleetError(
        f"{cluster.scheduler}: the scheduler is gone; the index has what was read so far, and the same command goes on"
    )


def _security(cluster: Cluster) -> Security | None:
    from distributed.security import Security

    if not cluster.scheduler.startswith("tls:"):
        return None
    files = {"tls_ca_file": cluster.tls_ca, "tls_client_cert": cluster.tls_cert, "tls_client_key": cluster.tls_key}
    security = Security(require_encryption=True, **{name: file for name, file in files.items() if file is not None})
    for name in files:
        file = getattr(security, name)
        if not file:
            if name == "tls_client_key":
                # The key may be in the certificate file.
                continue
            raise FleetError(f"{cluster.scheduler}: no certificates: ", _CERTIFICATES, f"; {_OF_DASK}")
        if "\n" not in file and not Path(file).is_file():
            raise FleetError(f"{file}: there is no such file")
    return security


def _check_versions(client: Client, cluster: Cluster) -> None:
    """Raise FleetError if the scheduler or a worker has another statetool or another Python."""
    wanted = __version__, ".".join(map(str, sys.version_info[:2]))
    try:
        found: Any = client.get_versions(packages=[_PACKAGE])
    except OSError as error:
        raise lost(cluster) from error
    machines = {f"the scheduler {cluster.scheduler}": found["scheduler"]}
    machines |= {f"the worker {address}": about for address, about in found["workers"].items()}
    for machine, about in machines.items():
        packages = (about or {}).get("packages", {})
        release = packages.get(_PACKAGE)
        python = ".".join(str(packages.get("python")).split(".")[:2])
        if (release, python) != wanted:
            has = f"statetool {release}" if release else "no statetool"
            raise FleetError(
                f"{machine} has {has} on Python {python}, and this is statetool {wanted[0]} on Python {wanted[1]}; "
                f"install this statetool with its extra 'cluster' there, on the same Python, or use one image for all"
            )


_ELSEWHERE: Final = "the worker finds another state at this place; its environment differs"


def answer_job(context: RunContext, data: bytes) -> bytes:
    """Return the rows of the states of a job, encoded. An unreadable state becomes a row, not an exception."""
    release, content = msgspec.msgpack.decode(data, type=tuple[str, Raw])
    if release != __version__:
        return msgspec.msgpack.encode(WorkerAnswer(refused=f"it has statetool {__version__}"))
    job = msgspec.msgpack.decode(content, type=Job)
    tasks = [Task(os.fsdecode(one.name), one.origin) for one in job.tasks]
    sent = {one.origin.state_id: one for one in job.tasks}
    return msgspec.msgpack.encode(
        WorkerAnswer(work_on(tasks, lambda task: _rows(context, job, sent[task.origin.state_id])))
    )


def _rows(context: RunContext, job: Job, task: SentTask) -> StateRows:
    allowed = BackendOptions(
        workspace=task.workspace,
        allowed_hosts=job.allowed_hosts,
        allowed_env=job.allowed_env,
        allow_external=job.allow_external,
        verify=job.verify,
    )
    context = replace(context, backend=allowed)
    name = os.fsdecode(task.name)
    if task.kind != "file":
        try:
            name = state_name(context, name, to_read=True)
        except StatetoolError as error:
            return unreadable(task.origin, error.on_command_line)
        if not isinstance(name, RemoteName) or name != task.origin.uri:
            # For example, a worker with another TF_DATA_DIR, or without an argument from the environment of the run.
            return unreadable(task.origin, _ELSEWHERE)
    return read_rows(context, name, task.origin, job.wanted, checks=job.checks, limits=job.limits, size=task.size)


# The messages between the run and the workers of a cluster: names of states in one direction, rows in the other. They
# contain no environment variables, arguments of backends or sensitive values. Every job contains the key of the index,
# since the workers hash values.


class SentTask(Struct, frozen=True):
    """A state to read: a file by its absolute path, the URL of a state, or a folder and workspace."""

    kind: Literal["file", "url", "folder"]
    name: bytes
    origin: StateOrigin
    size: int
    workspace: str | None = None


class Job(Struct, frozen=True):
    """The states of a chunk, the wanted rows, and the permissions for backends."""

    tasks: tuple[SentTask, ...]
    wanted: Wanted
    checks: bool
    limits: StateLimits
    allowed_hosts: tuple[str, ...] = ()
    allowed_env: tuple[str, ...] = ()
    allow_external: bool = False
    verify: bool = True


class WorkerAnswer(Struct, frozen=True):
    """The rows of a chunk, or the reason why the worker refuses it."""

    done: Done | None = None
    refused: str = ""


_ANSWER: Final = msgspec.msgpack.Decoder(WorkerAnswer)


def sent(task: Task) -> SentTask | None:
    """Return the message for a task; None if only this process can read the state, such as a version in git."""
    name, place = task.name, task.origin
    if isinstance(name, RemoteName):
        if name.folder is None:
            # The words of a URL are `--state URL`, without values that may be secret.
            return SentTask("url", name.words[1].encode(), place, task.size) if len(name.words) > 1 else None
        folder = os.fsencode(os.path.abspath(name.folder))  # noqa: PTH100
        return SentTask("folder", folder, place, task.size, name.place.workspace)
    if isinstance(name, VersionName) or name.startswith(GIT) or "://" in name:
        return None
    return SentTask("file", os.fsencode(os.path.abspath(name)), place, task.size)  # noqa: PTH100 - a name may be no valid text


def encoded_job(
    context: RunContext, tasks: tuple[SentTask, ...], wanted: Wanted, checks: bool, limits: StateLimits
) -> bytes:
    """Return the message for a job, preceded by the release, which another release might read differently."""
    allowed = context.backend or BackendOptions()
    job = Job(
        tasks=tasks,
        wanted=wanted,
        checks=checks,
        limits=limits,
        allowed_hosts=allowed.allowed_hosts,
        allowed_env=allowed.allowed_env,
        allow_external=allowed.allow_external,
        verify=allowed.verify,
    )
    return msgspec.msgpack.encode((__version__, job))
