"""The unit of work: some states to read, and the rows that come back as lines by table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol, TypeAlias

from msgspec import Struct, structs

from statefmt.fleet.rows.extract import StateOrigin, StateRows, unreadable
from statefmt.fleet.tables import STATE_TABLES
from statefmt.fleet.work.lines import by_state, lines_of

# In bytes of states: enough that starting a process does not count, and little enough to lose.
CHUNK: Final = 20_000_000
# In states: one that is far away takes long even if it is small, and no progress is seen before the end of a chunk.
_MOST: Final = 100
# States whose size is unknown, such as those in a backend, count as this many bytes.
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

    `deaths` is the number of workers that died since the last one; the states that they were reading are read again.
    """

    state_ids: tuple[str, ...]
    lines: Mapping[str, bytes]
    deaths: int = 0

    def each(self) -> list[Done]:
        """Return the rows of each state by itself."""
        found: dict[str, dict[str, bytes]] = {state_id: {} for state_id in self.state_ids}
        for name, data in self.lines.items():
            for state_id, lines in by_state(data).items():
                found[state_id][name] = lines
        return [Done((state_id,), lines) for state_id, lines in found.items()]


class Spread(Protocol):
    """Reads states somewhere. Results come in any order, and every task has exactly one."""

    def started(self, chunks: Sequence[Sequence[Task]]) -> AbstractContextManager[Iterator[Done]]:
        """Start at once, and yield the rows of each chunk, or of parts of it; leaving the context ends the work.

        A state whose worker died has a row that says so. Raises FleetError if the work cannot be done there.
        """
        ...


def chunks(tasks: Iterable[Task]) -> list[list[Task]]:
    """Group tasks, in order, to about CHUNK bytes each, and no more than 100 states."""
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
    """Read the states of a chunk. A bug costs the state that has met it."""
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
    """Return the rows of a state that killed the worker that read it, `deaths` of them since the last rows."""
    done = work_on([task], lambda task: unreadable(task.origin, "worker died"))
    return structs.replace(done, deaths=deaths)
