"""The PostgreSQL protocol over a proxy that cuts: a request is one message of the client.

Source: PostgreSQL, "Frontend/Backend Protocol", "Message Formats".
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from io import BufferedIOBase
from typing import Final

from tests.servers.cutting import PATIENCE, Address, Cut, Line, connected

_STARTUP: Final = 196608
_CANCEL: Final = 80877102
# SSLRequest and GSSENCRequest: neither is offered.
_ENCRYPTION: Final = (80877103, 80877104)
_NAMES: Final = {
    b"Q": "Query", b"P": "Parse", b"B": "Bind", b"D": "Describe", b"E": "Execute", b"S": "Sync", b"C": "Close",
    b"H": "Flush", b"p": "Password", b"X": "Terminate",
}  # fmt: skip
# The server answers these at once, and the others only after one of these.
_ANSWERED: Final = frozenset({"Startup", "Query", "Sync", "Password"})
# Type bytes of the server: ready for a query, a step of logging in, an error.
_READY: Final = frozenset({b"Z", b"R", b"E"})


class _Answers(threading.Thread):
    """What a server sends, to the client unless it is muted."""

    def __init__(self, server: socket.socket, client: socket.socket) -> None:
        super().__init__()
        self._server = server
        self._client = client
        self._lock = threading.Lock()
        self._answered = threading.Event()
        self._muted = False

    def run(self) -> None:
        with suppress(OSError), self._server.makefile("rb") as reader:
            while (kind := reader.read(1)) and (length := reader.read(4)):
                content = reader.read(struct.unpack("!I", length)[0] - 4)
                with self._lock:
                    if not self._muted:
                        self._client.sendall(kind + length + content)
                    elif kind in _READY:
                        self._answered.set()
        self._answered.set()
        with suppress(OSError):
            self._client.shutdown(socket.SHUT_RDWR)

    def mute(self) -> None:
        """Let nothing more through."""
        with self._lock:
            self._muted = True

    def wait(self) -> None:
        """Wait until the server has answered, or has ended the connection."""
        assert self._answered.wait(PATIENCE), "the server does not answer"


def pg(client: socket.socket, server: Address, line: Line) -> None:
    """Serve one connection."""
    with client.makefile("rb") as reader:
        kind, startup = _startup(reader, client)
        if not kind:
            return
        with connected(server) as upstream:
            answers = _Answers(upstream, client)
            answers.start()
            try:
                while kind:
                    with line.request(_label(kind, startup)) as cut:
                        if cut is Cut.BEFORE:
                            return
                        if cut is Cut.AFTER:
                            answers.mute()
                        upstream.sendall(startup)
                        if cut is Cut.AFTER:
                            if kind in _ANSWERED:
                                answers.wait()
                            return
                    kind, startup = _message(reader)
            finally:
                with suppress(OSError):
                    upstream.shutdown(socket.SHUT_RDWR)
                answers.join()


def _startup(reader: BufferedIOBase, client: socket.socket) -> tuple[str, bytes]:
    """The first message of a connection, and its kind; ("", b"") if there is none."""
    while len(length := reader.read(4)) == 4:
        content = reader.read(struct.unpack("!I", length)[0] - 4)
        (code,) = struct.unpack("!I", content[:4])
        if code in _ENCRYPTION:
            client.sendall(b"N")
        else:
            return "CancelRequest" if code == _CANCEL else "Startup", length + content
    return "", b""


def _message(reader: BufferedIOBase) -> tuple[str, bytes]:
    kind, length = reader.read(1), reader.read(4)
    if len(length) < 4:
        return "", b""
    content = reader.read(struct.unpack("!I", length)[0] - 4)
    return _NAMES.get(kind, repr(kind)), kind + length + content


def _label(kind: str, message: bytes) -> str:
    """The kind of a message, and the beginning of the statement that it has."""
    if kind not in ("Query", "Parse"):
        return kind
    texts = [text.decode(errors="replace") for text in message[5:].split(b"\0") if text]
    statement = texts[-1] if kind == "Query" or len(texts) == 1 else max(texts, key=len)
    return f"{kind} {' '.join(statement.split())[:60]}"
