"""Reads states in several processes of this machine.

Each chunk has a process of its own, so that one which dies takes nothing else with it, and memory is given back. A
coordinator, forked before this process opens a database and so starts threads, forks them and passes on their results.
"""

from __future__ import annotations

import os
import selectors
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import BinaryIO, Final, NoReturn

import msgspec

from statefmt.fleet.work.task import Done, ReadRows, Task, work_on, worker_died

_LENGTH_BYTES: Final = 8
_DECODER: Final = msgspec.msgpack.Decoder(Done)


class Processes:
    """Works in `count` processes at a time; see Spread. For systems on which forking is safe, such as Linux."""

    def __init__(self, count: int) -> None:
        self._count = count

    def run(self, chunks: Sequence[Sequence[Task]], read: ReadRows) -> Generator[Done, None, None]:
        """Start the coordinator at once, and return the results as they come. Closing the iterator ends the work."""
        process, pipe = _forked(lambda pipe: _coordinate(chunks, read, self._count, pipe))
        return _results(process, pipe, {task.origin.state_id: task for chunk in chunks for task in chunk})


def _results(process: int, pipe: int, missing: dict[str, Task]) -> Generator[Done, None, None]:
    try:
        with os.fdopen(pipe, "rb") as results:
            while data := _message(results):
                done = _DECODER.decode(data)
                for state_id in done.state_ids:
                    missing.pop(state_id, None)
                yield done
        # The coordinator itself was killed.
        yield from map(worker_died, missing.values())
    finally:
        # Its workers die with it: their pipe breaks.
        with suppress(ProcessLookupError):
            os.kill(process, 15)
        os.waitpid(process, 0)


def _message(pipe: BinaryIO) -> bytes:
    size = pipe.read(_LENGTH_BYTES)
    data = pipe.read(int.from_bytes(size, "big")) if len(size) == _LENGTH_BYTES else b""
    return data if len(data) == int.from_bytes(size, "big") else b""


def _coordinate(chunks: Sequence[Sequence[Task]], read: ReadRows, count: int, pipe: BinaryIO) -> None:
    """Fork a worker for each chunk, some at a time, and pass on what they return."""
    waiting = deque(chunks)
    running: dict[int, tuple[int, Sequence[Task], list[bytes]]] = {}
    with selectors.DefaultSelector() as selector:
        while waiting or running:
            while waiting and len(running) < count:
                chunk = waiting.popleft()
                process, reading = _forked(lambda pipe, chunk=chunk: _send(pipe, _encoded(work_on(chunk, read))))  # type: ignore[misc] # mypy cannot infer a lambda with a default
                running[reading] = (process, chunk, [])
                selector.register(reading, selectors.EVENT_READ)
            for key, _ in selector.select():
                process, chunk, parts = running[key.fd]
                part = os.read(key.fd, 1 << 20)
                if part:
                    parts.append(part)
                    continue
                selector.unregister(key.fd)
                os.close(key.fd)
                del running[key.fd]
                os.waitpid(process, 0)
                data = b"".join(parts)
                if len(data) > _LENGTH_BYTES and len(data) == _LENGTH_BYTES + int.from_bytes(
                    data[:_LENGTH_BYTES], "big"
                ):
                    pipe.write(data)
                    pipe.flush()
                elif len(chunk) == 1:
                    _send(pipe, _encoded(worker_died(chunk[0])))
                else:
                    # One of them is the culprit.
                    waiting.extend([task] for task in chunk)


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
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 0)
        with os.fdopen(writing, "wb") as pipe:
            work(pipe)
        status = 0
    except BaseException:  # the parent sees an incomplete answer
        pass
    finally:
        os._exit(status)
