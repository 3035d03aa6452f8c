"""A connection pooler: in transaction mode, each transaction of a client runs in any session of the server.

Source: PostgreSQL, "Frontend/Backend Protocol", "Message Flow"; PgBouncer, `pool_mode`.
"""

from __future__ import annotations

import itertools
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase
from typing import Final

_ENCRYPTION: Final = (80877103, 80877104)
_VERSION: Final = 196608


class _Upstream:
    """A session of the server."""

    def __init__(self, port: int, startup: bytes) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.reader = self.socket.makefile("rb")
        self.socket.sendall(startup)
        # What a client must know about a server.
        self.parameters = b""
        while True:
            kind, message = _message(self.reader)
            if kind == b"S":
                self.parameters += message
            if kind == b"Z":
                return

    def close(self) -> None:
        self.reader.close()
        self.socket.close()


class Pooler:
    """A running pooler. It gives away the session that was used last, or the one that was used first.

    If it gives `whole` sessions, a client has one until it closes the connection.
    """

    def __init__(self, server: int, *, sessions: int, uses_last: bool = True, whole: bool = False) -> None:
        self._server = server
        self._uses_last = uses_last
        self._sessions = sessions
        self._whole = whole
        self._idle: list[_Upstream] = []
        self._all: list[_Upstream] = []
        self._changed = threading.Condition()
        self._pids = itertools.count(100_000)
        self._threads: list[threading.Thread] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]

    def serve(self) -> None:
        """Serve clients until the listener is closed."""
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def close(self) -> None:
        """End the sessions; the clients have closed their connections."""
        for thread in self._threads:
            thread.join(10)
        for upstream in self._all:
            upstream.close()

    def _serve(self, client: socket.socket) -> None:
        with client, client.makefile("rb") as reader, suppress(OSError):
            startup = _startup(reader, client)
            if startup is None:
                return
            held: _Upstream | None = self._take(startup)
            assert held is not None
            key = struct.pack("!cIII", b"K", 12, next(self._pids), 1)
            client.sendall(struct.pack("!cII", b"R", 8, 0) + held.parameters + key + _ready())
            if not self._whole:
                self._give(held)
                held = None
            try:
                while True:
                    kind, message = _message(reader)
                    if kind in (b"", b"X"):
                        return
                    held = held or self._take(startup)
                    held.socket.sendall(message)
                    if kind in (b"Q", b"S") and self._answered(held, client) and not self._whole:
                        self._give(held)
                        held = None
            finally:
                if held is not None:
                    held.socket.sendall(struct.pack("!cI", b"Q", 13) + b"ROLLBACK\0")
                    while _message(held.reader)[0] != b"Z":
                        pass
                    self._give(held)

    def _answered(self, upstream: _Upstream, client: socket.socket) -> bool:
        """Pass the answers on; return whether the session is in no transaction."""
        while True:
            kind, message = _message(upstream.reader)
            client.sendall(message)
            if kind == b"Z":
                return message[5:] == b"I"

    def _take(self, startup: bytes) -> _Upstream:
        with self._changed:
            while len(self._all) < self._sessions:
                self._all.append(_Upstream(self._server, startup))
                self._idle.append(self._all[-1])
            self._changed.wait_for(lambda: self._idle)
            return self._idle.pop(-1 if self._uses_last else 0)

    def _give(self, upstream: _Upstream) -> None:
        with self._changed:
            self._idle.append(upstream)
            self._changed.notify()


@contextmanager
def pooler(server: int, *, sessions: int, uses_last: bool = True, whole: bool = False) -> Iterator[Pooler]:
    """Run a pooler in front of the server on this port; the user must need no password there."""
    running = Pooler(server, sessions=sessions, uses_last=uses_last, whole=whole)
    thread = threading.Thread(target=running.serve, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        # Closing alone does not end a call of accept().
        with suppress(OSError):
            running.listener.shutdown(socket.SHUT_RDWR)
        running.listener.close()
        thread.join(10)
        running.close()


def _ready() -> bytes:
    return struct.pack("!cIc", b"Z", 5, b"I")


def _startup(reader: BufferedIOBase, client: socket.socket) -> bytes | None:
    while len(length := reader.read(4)) == 4:
        content = reader.read(struct.unpack("!I", length)[0] - 4)
        (code,) = struct.unpack("!I", content[:4])
        if code in _ENCRYPTION:
            client.sendall(b"N")
        else:
            return length + content if code >= _VERSION and code < _ENCRYPTION[0] - 1 else None
    return None


def _message(reader: BufferedIOBase) -> tuple[bytes, bytes]:
    kind, length = reader.read(1), reader.read(4)
    if len(length) < 4:
        return b"", b""
    return kind, kind + length + reader.read(struct.unpack("!I", length)[0] - 4)
