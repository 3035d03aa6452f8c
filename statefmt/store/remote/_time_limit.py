"""Watches the sockets of HTTP requests: ends those that take too long as a whole, and those to refused addresses.

Timeouts of sockets start anew with each byte; and a name may have another address when it is connected than before.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from statefmt.store.remote._failures import NoAnswerError
from statefmt.store.remote.patience import ADVICE


class TimeLimit:
    """A limit in seconds for each request of a client, which sends one at a time.

    `pool_classes` are the pools whose connections it ends. `check` gets the host of each new connection and the address
    that it is connected to, before anything is sent, and may raise an error.
    """

    def __init__(self, seconds: float, check: Callable[[str, str], None] = lambda _host, _address: None) -> None:
        self._seconds = seconds
        self._is_over = threading.Event()
        self._socket: socket.socket | None = None
        limit = self

        def checked(host: str, connected: socket.socket) -> socket.socket:
            try:
                check(host, str(connected.getpeername()[0]))
            except BaseException:
                connected.close()
                raise
            return connected

        class Plain(HTTPConnection):
            def _new_conn(self) -> socket.socket:
                return checked(self.host, super()._new_conn())

            def send(self, data: Any) -> None:
                super().send(data)
                limit.watch(self.sock)

        class Secure(HTTPSConnection):
            def _new_conn(self) -> socket.socket:
                return checked(self.host, super()._new_conn())

            def send(self, data: Any) -> None:
                super().send(data)
                limit.watch(self.sock)

        class PlainPool(HTTPConnectionPool):
            ConnectionCls = Plain

        class SecurePool(HTTPSConnectionPool):
            ConnectionCls = Secure

        self.pool_classes: dict[str, type[HTTPConnectionPool]] = {"http": PlainPool, "https": SecurePool}

    @contextmanager
    def started(self) -> Iterator[None]:
        """Limit the time of the block."""
        self._is_over.clear()
        self._socket = None
        timer = threading.Timer(self._seconds, self._end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._socket = None

    def watch(self, connected: socket.socket | None) -> None:
        """Take note of the socket of a request."""
        self._socket = connected
        if self._is_over.is_set():
            self._end()

    def reached(self) -> NoAnswerError | None:
        """Return the problem if the time is over; None if it is not."""
        if not self._is_over.is_set():
            return None
        reason = f"the answer was not complete within {self._seconds:g} s; {ADVICE}"
        return NoAnswerError(reason, arrived=True, passes=False)

    def _end(self) -> None:
        self._is_over.set()
        if self._socket is not None:
            with suppress(OSError):
                # Not the method of a TLS socket, which also forgets its session, while another thread reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
