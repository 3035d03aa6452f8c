"""Distributes the reading of states to one or several processes: workers receive tasks and return rows."""

from __future__ import annotations

import ipaddress
import os
import selectors
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import BinaryIO, Final, NamedTuple, NoReturn, TypeAlias

import msgspec
from msgspec import Struct, structs

from statefmt.fleet._rows import StateOrigin, StateRows, unreadable
from statefmt.fleet.tables import STATE_TABLES, FleetError
from statefmt.model.errors import Wording
from statefmt.processes import Worker, forked, received, send
from statefmt.text import pattern

# In bytes of states: enough to hide the start of a process, and little enough to repeat.
CHUNK: Final = 20_000_000
# In states: a remote state takes long even if it is small, and progress is only reported after each chunk.
_MOST: Final = 100
# The assumed size in bytes of a state of unknown size, such as one in a backend.
_USUAL_SIZE: Final = 200_000

# Makes the rows of one state; an exception is a bug.
ReadRows: TypeAlias = "Callable[[Task], StateRows]"


class Task(Struct, frozen=True):
    """A state to read: its name for the run context, its place, and its size in bytes, 0 if unknown."""

    name: str
    origin: StateOrigin
    size: int = 0


class Done(Struct, frozen=True):
    """The rows of some states as lines by table (see `lines_of`), and the ids of these states.

    `deaths` is the number of workers that died since the last result; their states are read again.
    """

    state_ids: tuple[str, ...]
    lines: Mapping[str, bytes]
    deaths: int = 0

    def each(self) -> list[Done]:
        """Return the rows of each state separately."""
        found: dict[str, dict[str, bytes]] = {state_id: {} for state_id in self.state_ids}
        for name, data in self.lines.items():
            for state_id, lines in by_state(data).items():
                found[state_id][name] = lines
        return [Done((state_id,), lines) for state_id, lines in found.items()]


# Reads states, and starts at once. Yields the rows of each chunk, or of its parts, in any order, once for every task. A
# state whose worker died gets a row with the reason. Leaving the context ends the work. Raises FleetError if the work
# cannot be done.
Spread: TypeAlias = "Callable[[Sequence[Sequence[Task]]], AbstractContextManager[Iterator[Done]]]"


def chunks(tasks: Iterable[Task]) -> list[list[Task]]:
    """Group tasks, in order, to about CHUNK bytes each, and at most 100 states."""
    found: list[list[Task]] = []
    size = CHUNK
    for task in tasks:
        if size >= CHUNK or len(found[-1]) == _MOST:
            found.append([])
            size = 0
        found[-1].append(task)
        size += task.size or _USUAL_SIZE
    return found


def work_on(chunk: Sequence[Task], read: ReadRows) -> Done:
    """Read the states of a chunk. A bug only affects the state that triggers it."""
    lines: dict[str, list[bytes]] = {name: [] for name in STATE_TABLES}
    for task in chunk:
        try:
            rows = read(task)
        except Exception as error:
            rows = unreadable(task.origin, f"statetool failed on it: {error.__class__.__name__}")
        for name, parts in lines.items():
            parts.append(lines_of(getattr(rows, name)))
            # The rows of a large state take more memory than the state.
            setattr(rows, name, [])
    return Done(tuple(task.origin.state_id for task in chunk), {name: b"".join(parts) for name, parts in lines.items()})


def not_stored(task: Task, reason: str) -> Done:
    """Return the rows of a state whose own rows the database refuses."""
    return work_on([task], lambda task: unreadable(task.origin, f"its rows cannot be stored: {reason}"))


def worker_died(task: Task, deaths: int = 0) -> Done:
    """Return the rows of a state that killed its worker; `deaths` is as in Done."""
    done = work_on([task], lambda task: unreadable(task.origin, "worker died"))
    return structs.replace(done, deaths=deaths)


@contextmanager
def in_process(read: ReadRows, chunks: Sequence[Sequence[Task]]) -> Iterator[Iterator[Done]]:
    """Work in this process; see Spread."""
    yield (work_on(chunk, read) for chunk in chunks)


# In seconds.
_AGAIN: Final = 1.0


@contextmanager
def in_processes(
    count: int, read: ReadRows, seconds: float, chunks: Sequence[Sequence[Task]]
) -> Iterator[Iterator[Done]]:
    """Work in `count` processes, with a limit of `seconds` for each state; see Spread.

    For systems on which forking is safe, such as Linux. A coordinator forks the workers: this process opens a database,
    which starts threads.
    """
    reading, writing = os.pipe()

    def coordinate() -> None:
        os.close(reading)
        with os.fdopen(writing, "wb") as results:
            _coordinate(chunks, _in_time(read, seconds), count, results)

    process = forked(coordinate)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as results:
            yield _results(results, {task.origin.state_id: task for chunk in chunks for task in chunk})
    finally:
        # The coordinator ends its workers.
        os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)


def _results(results: BinaryIO, missing: dict[str, Task]) -> Iterator[Done]:
    done: Done
    while done := received(results):
        for state_id in done.state_ids:
            missing.pop(state_id, None)
        yield done
    # The coordinator itself was killed.
    yield from map(worker_died, missing.values())


class _OutOfTimeError(BaseException):
    """The time of a state is over. A BaseException, so that no handler mistakes it for an error."""


def _in_time(read: ReadRows, seconds: float) -> ReadRows:
    """Interrupt the reading of a state after a time: its bytes may drip, or its writer may never write."""

    def interrupted(number: int, frame: object) -> NoReturn:
        raise _OutOfTimeError

    def limited(task: Task) -> StateRows:
        signal.signal(signal.SIGALRM, interrupted)
        try:
            # Repeated: a destructor that runs at that moment would swallow the exception.
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
            try:
                return read(task)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except _OutOfTimeError:
            signal.setitimer(signal.ITIMER_REAL, 0)
            return unreadable(task.origin, f"it takes more than {seconds:g} s, the limit, and --timeout raises it")

    return limited


class _Part(NamedTuple):
    """A part of the work: a range of states of a chunk."""

    chunk: int
    first: int
    last: int


def _coordinate(chunks: Sequence[Sequence[Task]], read: ReadRows, count: int, results: BinaryIO) -> None:
    """Let workers read one part at a time each, and pass on their answers; replace dead workers."""
    waiting = deque(_Part(number, 0, len(chunk)) for number, chunk in enumerate(chunks))
    working: dict[Worker, _Part] = {}

    def stop(number: int, frame: object) -> NoReturn:
        # A worker that waits for a pipe or a server would not notice otherwise.
        for worker in working:
            worker.end()
        os._exit(1)

    signal.signal(signal.SIGTERM, stop)

    def read_part(part: _Part) -> Done:
        return work_on(chunks[part.chunk][part.first : part.last], read)

    def give(worker: Worker) -> None:
        working[worker] = waiting.popleft()
        worker.give(working[worker])

    with selectors.DefaultSelector() as selector:
        while waiting or working:
            while waiting and len(working) < count:
                worker = Worker(read_part, working)
                selector.register(worker.answers, selectors.EVENT_READ, worker)
                give(worker)
            for key, _ in selector.select():
                worker = key.data
                part, done = working.pop(worker), worker.answer()
                if done is not None:
                    send(results, done)
                    if waiting:
                        give(worker)
                        continue
                elif part.last - part.first == 1:
                    send(results, worker_died(chunks[part.chunk][part.first], deaths=1))
                else:
                    # One of the states is the culprit.
                    send(results, Done((), {}, deaths=1))
                    waiting.extend(_Part(part.chunk, number, number + 1) for number in range(part.first, part.last))
                selector.unregister(worker.answers)
                worker.end()


# Longer data may have lines that DuckDB's reader of CSV refuses.
_LONGEST: Final = 1 << 26
_ENCODER: Final = msgspec.json.Encoder()


def lines_of(rows: Sequence[Struct]) -> bytes:
    r"""Encode rows, one a line: those of the large tables as JSON arrays, all others as JSON objects.

    Without its brackets, such an array is a line of CSV with `\` as the escape. If DuckDB could not read it as that,
    these rows are objects, too.
    """
    data = _ENCODER.encode_lines(rows)
    if data[:1] == b"[" and (len(data) > _LONGEST or _has_other_escapes(data)):
        return _ENCODER.encode_lines([msgspec.structs.asdict(row) for row in rows])
    return data


def by_state(lines: bytes) -> dict[str, bytes]:
    """Return the lines of each state by its id, the first value of every row."""
    found: dict[str, bytearray] = {}
    for line in lines.splitlines(keepends=True):
        row = msgspec.json.decode(line)
        state_id = row["state_id"] if isinstance(row, dict) else row[0]
        found.setdefault(state_id, bytearray()).extend(line)
    return {state_id: bytes(data) for state_id, data in found.items()}


def as_csv(lines: bytes) -> tuple[bytes | memoryview, bytes]:
    """Return the array rows as CSV, and the object rows unchanged."""
    if lines[:1] == b"[" and b"\n{" not in lines:
        # Without the first and the last bracket. The lines are long, so each copy is expensive.
        return memoryview(lines.replace(b"]\n[", b"\n"))[1:-2], b""
    arrays = bytearray()
    objects = bytearray()
    for line in lines.splitlines(keepends=True):
        if line[:1] == b"[":
            arrays += line[1:-2] + b"\n"
        else:
            objects += line
    return bytes(arrays[:-1]), bytes(objects)


def _has_other_escapes(data: bytes) -> bool:
    """Return whether JSON has an escape that CSV lacks, which only control characters need."""
    # Nearly always, every backslash precedes a quote.
    if data.count(b"\\") == data.count(b'\\"'):
        return False
    return b"\\" in data.replace(b"\\\\", b"").replace(b'\\"', b"")


# Runs on a worker and returns the result of `answer_job`. Workers import it by name.
WorkerEntry: TypeAlias = "Callable[[bytes], bytes]"

_ADDRESS: Final = pattern(r"(tcp|tls)://([0-9A-Za-z._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")
_PORTS: Final = 1 << 16
_INCOMPLETE: Final = Wording(
    "--tls-ca and --tls-cert must be given together", "tls_ca and tls_cert must be given together"
)
_INSECURE: Final = Wording("--insecure-scheduler", "insecure=True")


class Cluster(Struct, frozen=True):
    """A Dask cluster.

    `scheduler` is its address, `tcp://HOST:PORT` or `tls://HOST:PORT`. The authority, the certificate and the key are
    files in PEM, by default from Dask's configuration. The certificate file may contain the key. `insecure` allows
    `tcp://` to other machines.
    """

    scheduler: str
    entry: WorkerEntry
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    insecure: bool = False

    def check(self) -> None:
        """Raise FleetError if the address is malformed, or an unencrypted connection to another machine."""
        scheme, host = _parts(self.scheduler)
        files = self.tls_ca, self.tls_cert, self.tls_key
        if scheme == "tls":
            if any(files) and not all(files[:2]):
                raise FleetError(_INCOMPLETE)
        elif any(files):
            raise FleetError(f"{self.scheduler}: certificates need an address that starts with tls://")
        elif not self.insecure and not _is_loopback(host):
            raise FleetError(
                f"{self.scheduler}: the connection would not be encrypted, and who can use this scheduler can run "
                "programs on its workers; use tls://, or ",
                _INSECURE,
                " in a network that you trust",
            )


def _parts(scheduler: str) -> tuple[str, str]:
    found = _ADDRESS.fullmatch(scheduler)
    if found is None or not 0 < int(found[3]) < _PORTS:
        raise FleetError(
            f"invalid scheduler {scheduler!r}: write tls://HOST:PORT, or tcp://HOST:PORT for one on this machine"
        )
    return found[1], found[2].strip("[]")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
