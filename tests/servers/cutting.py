"""A proxy that cuts the connection before or after a request, holds a request, or calls back at one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Final, Protocol, TypeAlias

Address: TypeAlias = tuple[str, int]
# A guard against hangs: ends a thread that waits for a peer.
PATIENCE: Final = 60.0


class Cut(Enum):
    """What the client cannot tell apart: the request never reaches the server, or its answer never comes back."""

    BEFORE = "before"
    AFTER = "after"


class Line:
    """What happens to requests on their way, over one proxy or several. Requests are numbered from 1.

    At request `at`, `call` is called with the request before anything else; `hold` keeps it until `release()`; `cut`
    cuts the connection. With `stays_cut`, no later request reaches the server either, until `mend()`.
    """

    def __init__(
        self,
        *,
        at: int = 0,
        cut: Cut | None = None,
        stays_cut: bool = False,
        hold: bool = False,
        call: Callable[[], None] | None = None,
    ) -> None:
        self.requests: Final[list[str]] = []
        self.reached: Final = threading.Event()
        self._at = at
        self._cut = cut
        self._stays_cut = stays_cut
        self._hold = hold
        self._call = call
        self._moved = threading.Condition()
        self._on_their_way = 0
        self._released = threading.Event()

    @contextmanager
    def request(self, name: str) -> Iterator[Cut | None]:
        """Note a request, and say whether to cut its connection; the context is open while it is on its way."""
        with self._moved:
            self.requests.append(name)
            number = len(self.requests)
            self._on_their_way += 1
        try:
            yield self._cut_of(number)
        finally:
            with self._moved:
                self._on_their_way -= 1
                self._moved.notify_all()

    def wait_until_idle(self) -> None:
        """Wait until the server has answered all requests that go to it."""
        with self._moved:
            assert self._moved.wait_for(lambda: not self._on_their_way, PATIENCE), "a request hangs"

    def _cut_of(self, number: int) -> Cut | None:
        if number == self._at:
            self.reached.set()
            if self._call is not None:
                self._call()
            if self._hold:
                assert self._released.wait(PATIENCE), f"nobody released request {number}"
            return self._cut
        return Cut.BEFORE if self._stays_cut and number > self._at else None

    def release(self) -> None:
        """Let a request go on that is held."""
        self._released.set()

    def mend(self) -> None:
        """Let all that follows pass."""
        self._stays_cut = False


class Serve(Protocol):
    """How requests are told apart in what a client sends."""

    def __call__(self, client: socket.socket, server: Address, line: Line) -> None:
        """Serve one connection until either side ends it, or the line is cut."""


@contextmanager
def proxied(server: Address, serve: Serve, line: Line, port: int = 0) -> Iterator[Address]:
    """A proxy in front of a server, and its address, for as long as the context is open."""
    connections: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def one(client: socket.socket) -> None:
        # A peer that goes away ends its connection, as it may.
        with client, suppress(OSError):
            serve(client, server, line)

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            client.settimeout(PATIENCE)
            connections.append(client)
            thread = threading.Thread(target=one, args=(client,))
            threads.append(thread)
            thread.start()

    with socket.create_server(("127.0.0.1", port)) as listener:
        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield ("127.0.0.1", listener.getsockname()[1])
        finally:
            line.release()
            _end(listener)
            listener.close()
            accepting.join()
            for client in connections:
                _end(client)
            for thread in threads:
                thread.join()


def connected(server: Address) -> socket.socket:
    """A connection to the server behind a proxy."""
    return socket.create_connection(server, PATIENCE)


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
