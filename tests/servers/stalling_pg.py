"""PostgreSQL servers that stall: that never answer, answer nothing after the start, drip, or stop in the middle.

Source: PostgreSQL, "Frontend/Backend Protocol", "Message Flow", "Message Formats".
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TypeAlias

Serve: TypeAlias = Callable[[socket.socket, threading.Event], None]

# AuthenticationOk, BackendKeyData, ReadyForQuery.
_GREETING: Final = (
    b"R" + struct.pack("!II", 8, 0) + b"K" + struct.pack("!III", 12, 4711, 1) + b"Z" + struct.pack("!I", 5) + b"I"
)
# The beginning of messages that are never complete: an authentication request, a row of one value.
_ENDLESS_START: Final = b"R" + struct.pack("!I", 1000)
_ENDLESS_ROW: Final = (
    b"1" + struct.pack("!I", 4) + b"2" + struct.pack("!I", 4)
    + b"T" + struct.pack("!IH", 29, 1) + b"data\0" + struct.pack("!IHIHIH", 0, 0, 25, 65535, 0xFFFFFFFF, 0)
    + b"D" + struct.pack("!IHI", 1_000_010, 1, 1_000_000)
)  # fmt: skip
_PAUSE: Final = 0.05
_TURN: Final = 0.02


def silent(client: socket.socket, over: threading.Event) -> None:
    """Accept, and never answer."""
    over.wait()


def greeting(client: socket.socket, over: threading.Event) -> None:
    """Let the client in, and answer no statement."""
    client.recv(10_000)
    client.sendall(_GREETING)
    over.wait()


def dripping_start(client: socket.socket, over: threading.Event) -> None:
    """Send an answer to the start that never ends."""
    client.recv(10_000)
    _drip(client, over, _ENDLESS_START)


def dripping_row(client: socket.socket, over: threading.Event) -> None:
    """Let the client in, and send a row that never ends."""
    client.recv(10_000)
    client.sendall(_GREETING)
    client.recv(10_000)
    _drip(client, over, _ENDLESS_ROW)


def _drip(client: socket.socket, over: threading.Event, start: bytes) -> None:
    client.sendall(start)
    while not over.wait(_PAUSE):
        client.sendall(b"x")


class Freezer:
    """Passes everything on to a server; `freeze` stops all connections of that moment, for good."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._frozen: set[int] = set()
        self._open: set[int] = set()

    def serve(self, client: socket.socket, over: threading.Event) -> None:
        """Serve one connection."""
        self._open.add(id(client))
        with socket.create_connection(("127.0.0.1", self._server)) as upstream:
            sides = {client: upstream, upstream: client}
            for side in sides:
                side.settimeout(_TURN)
            while not over.is_set():
                for side, other in sides.items():
                    try:
                        data = side.recv(1 << 16)
                    except TimeoutError:
                        continue
                    if id(client) in self._frozen:
                        # The server never learns that its client is gone.
                        over.wait()
                        return
                    if not data:
                        return
                    other.sendall(data)

    def freeze(self) -> None:
        """Stop the open connections."""
        self._frozen |= self._open


@contextmanager
def stalling(serve: Serve) -> Iterator[int]:
    """Serve connections on a port of 127.0.0.1, which is returned."""
    over = threading.Event()
    threads: list[threading.Thread] = []

    def one(client: socket.socket) -> None:
        with client, suppress(OSError):
            serve(client, over)

    def accept(listener: socket.socket) -> None:
        while not over.is_set():
            with suppress(OSError):
                client, _ = listener.accept()
                threads.append(threading.Thread(target=one, args=(client,)))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(_TURN)
        threads.append(threading.Thread(target=accept, args=(listener,)))
        threads[0].start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            threads[0].join()
            for thread in threads:
                thread.join()
