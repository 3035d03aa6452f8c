"""Ends an HTTP request that takes too long as a whole: timeouts of sockets start anew with each byte."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from statefmt.store.remote._failures import NoAnswerError
from statefmt.store.remote.patience import ADVICE


class TimeLimit:
    """A limit in seconds for each request of a client, which sends one at a time.

    `pool_classes` are the pools whose connections it ends.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._is_over = threading.Event()
        self._socket: socket.socket | None = None
        limit = self

        class Plain(HTTPConnection):
            def send(self, data: Any) -> None:
                super().send(data)
                limit.watch(self.sock)

        class Secure(HTTPSConnection):
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
