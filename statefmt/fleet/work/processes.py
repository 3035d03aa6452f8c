"""Reads states in several processes of this machine.

A worker that dies takes only the chunk with it that it reads. A coordinator, forked before this process opens a
database and so starts threads, forks them and passes on their results.
"""

from __future__ import annotations

import gc
import os
import selectors
import signal
import struct
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final, NamedTuple, NoReturn

import msgspec

from statefmt.fleet.rows.extract import StateRows, unreadable
from statefmt.fleet.work.task import Done, ReadRows, Task, work_on, worker_died

_LENGTH_BYTES: Final = 8
_ORDER: Final = struct.Struct("=III")
# In seconds.
_AGAIN: Final = 1.0
_DECODER: Final = msgspec.msgpack.Decoder(Done)


class Processes:
    """Works in `count` processes at a time, and `seconds` at most on each state; see Spread.

    For systems on which forking is safe, such as Linux.
    """

    def __init__(self, count: int, read: ReadRows, seconds: float) -> None:
        self._count = count
        self._read = _in_time(read, seconds)

    @contextmanager
    def started(self, chunks: Sequence[Sequence[Task]]) -> Iterator[Iterator[Done]]:
        """Start the coordinator at once, and yield the results as they come; see Spread."""
        process, pipe = _forked(lambda pipe: _coordinate(chunks, self._read, self._count, pipe))
        try:
            with os.fdopen(pipe, "rb") as results:
                yield _results(results, {task.origin.state_id: task for chunk in chunks for task in chunk})
        finally:
            # It ends its workers.
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
            os.waitpid(process, 0)


def _results(results: BinaryIO, missing: dict[str, Task]) -> Iterator[Done]:
    while data := _message(results):
        done = _DECODER.decode(data)
        for state_id in done.state_ids:
            missing.pop(state_id, None)
        yield done
    # The coordinator itself was killed.
    yield from map(worker_died, missing.values())


def _message(pipe: BinaryIO) -> bytes:
    size = pipe.read(_LENGTH_BYTES)
    data = pipe.read(int.from_bytes(size, "big")) if len(size) == _LENGTH_BYTES else b""
    return data if len(data) == int.from_bytes(size, "big") else b""


class _OutOfTimeError(BaseException):
    """The time of a state is over. Nothing between takes it for an error of its own."""


def _in_time(read: ReadRows, seconds: float) -> ReadRows:
    """Interrupt the reading of a state after some time: its bytes may drip, or its writer never write."""

    def interrupted(number: int, frame: object) -> NoReturn:
        raise _OutOfTimeError

    def limited(task: Task) -> StateRows:
        signal.signal(signal.SIGALRM, interrupted)
        try:
            # Again and again: a destructor that runs at that moment would lose the exception.
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
    """A part of the work: states of a chunk, from one number to before another."""

    chunk: int
    first: int
    last: int


class _Worker(NamedTuple):
    """A process that reads one part after the other: the pipes to and from it, and what it has sent of its answer."""

    process: int
    orders: int
    answers: int
    sent: bytearray


def _coordinate(chunks: Sequence[Sequence[Task]], read: ReadRows, count: int, pipe: BinaryIO) -> None:
    """Have workers read the parts, one at a time each, and pass on what they return. One that dies is replaced."""
    waiting = deque(_Part(number, 0, len(chunk)) for number, chunk in enumerate(chunks))
    working: dict[int, tuple[_Worker, _Part]] = {}

    def stop(number: int, frame: object) -> NoReturn:
        # One that waits for a pipe or a server would notice nothing.
        for worker, _ in working.values():
            os.kill(worker.process, signal.SIGKILL)
        os._exit(1)

    signal.signal(signal.SIGTERM, stop)

    def give(worker: _Worker) -> None:
        part = waiting.popleft()
        working[worker.answers] = worker, part
        # One that has died is met where its answer is read.
        with suppress(BrokenPipeError):
            os.write(worker.orders, _ORDER.pack(*part))

    with selectors.DefaultSelector() as selector:
        while waiting or working:
            while waiting and len(working) < count:
                worker = _started(chunks, read, [one.orders for one, _ in working.values()])
                selector.register(worker.answers, selectors.EVENT_READ)
                give(worker)
            for key, _ in selector.select():
                worker, part = working[key.fd]
                data = os.read(key.fd, 1 << 20)
                worker.sent.extend(data)
                if data and not _is_whole(worker.sent):
                    continue
                del working[key.fd]
                if data:
                    pipe.write(worker.sent)
                    pipe.flush()
                    worker.sent.clear()
                    if waiting:
                        give(worker)
                        continue
                selector.unregister(key.fd)
                os.close(worker.orders)
                os.close(worker.answers)
                os.waitpid(worker.process, 0)
                if data:
                    continue
                if part.last - part.first == 1:
                    _send(pipe, _encoded(worker_died(chunks[part.chunk][part.first], deaths=1)))
                else:
                    # One of them is the culprit.
                    _send(pipe, _encoded(Done((), {}, deaths=1)))
                    waiting.extend(_Part(part.chunk, number, number + 1) for number in range(part.first, part.last))


def _started(chunks: Sequence[Sequence[Task]], read: ReadRows, others: Sequence[int]) -> _Worker:
    """Start a worker. `others` are the pipes to the others, whose ends it must not keep open."""
    reading, orders = os.pipe()

    def work(pipe: BinaryIO) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for other in (orders, *others):
            os.close(other)
        # The collector would copy what is shared with the coordinator.
        gc.freeze()
        while order := os.read(reading, _ORDER.size):
            part = _Part(*_ORDER.unpack(order))
            _send(pipe, _encoded(work_on(chunks[part.chunk][part.first : part.last], read)))

    process, answers = _forked(work)
    os.close(reading)
    return _Worker(process, orders, answers, bytearray())


def _is_whole(message: bytearray) -> bool:
    return len(message) >= _LENGTH_BYTES == len(message) - int.from_bytes(message[:_LENGTH_BYTES], "big")


def _encoded(done: Done) -> bytes:
    return msgspec.msgpack.encode(done)


def _send(pipe: BinaryIO, data: bytes) -> None:
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "big"))
    pipe.write(data)
    pipe.flush()


def _forked(work: Callable[[BinaryIO], None]) -> tuple[int, int]:
    """Run work in a new process that writes to a pipe; return the process and the end of the pipe to read."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        _child(work, writing)
    os.close(writing)
    return process, reading


def _child(work: Callable[[BinaryIO], None], writing: int) -> NoReturn:
    """Work and exit in any case, without running the parent's cleanup handlers and without a traceback."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 0)
        with os.fdopen(writing, "wb") as pipe:
            work(pipe)
        status = 0
    except BaseException:  # the parent sees an incomplete answer
        pass
    finally:
        os._exit(status)
