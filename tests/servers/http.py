"""A server of the backend `http`, with a lock, which can be told to misbehave.

It keeps one state at any path. Like the server of the recordings it removes the lock for an UNLOCK without a body,
whoever holds it: so does Terraform's `force-unlock`.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import orjson

_LOCKED: Final = 423


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body."""
        return orjson.loads(self.body)


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request.

    With a `status`, nothing is done and that is the answer, with these `headers`. Otherwise the request is carried out
    unless it is `ignored`, and its answer is sent unless it is `lost`: then the connection is closed. A `body` replaces
    that of the answer; with `hangs` there is no answer as long as the server runs. What it `drips` follows the headers
    again and again.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    ignored: bool = False
    lost: bool = False
    hangs: bool = False
    body: bytes | None = None
    drips: bytes = b""


class StateServer:
    """The state, the lock, and what was asked; `faults` are for the next requests with a method, in order."""

    def __init__(self) -> None:
        self.url = ""
        self.state: bytes | None = None
        self.holder: dict[str, str] | None = None
        self.requests: list[Received] = []
        self.faults: list[tuple[str, Fault]] = []
        # Strong ETags, and whether conditions are about another representation.
        self.has_tags = False
        self.tags_never_match = False
        # Whether it sends ETags and ignores If-Match.
        self.ignores_conditions = False
        # Whether an UNLOCK must name the right ID.
        self.compares = True
        self.checks_user = False
        # Called with the method once a request was carried out.
        self.listeners: list[Callable[[str], None]] = []
        self.ended = threading.Event()
        self._mutex = threading.Lock()

    @property
    def lock_id(self) -> str:
        """The ID of the lock, "" without one."""
        return "" if self.holder is None else self.holder["ID"]

    @property
    def methods(self) -> list[str]:
        """The methods of the requests so far."""
        return [request.method for request in self.requests]

    def next_fault(self, method: str) -> Fault | None:
        """Take the fault for a request, if there is one."""
        with self._mutex:
            for index, (wanted, fault) in enumerate(self.faults):
                if wanted == method:
                    del self.faults[index]
                    return fault
        return None

    def answer(self, request: Received) -> tuple[int, bytes]:
        """Carry out a request, and return the status and the body."""
        with self._mutex:
            match request.method:
                case "GET":
                    return (404, b"") if self.state is None else (200, self.state)
                case "LOCK":
                    if self.holder is not None:
                        return _LOCKED, orjson.dumps(self.holder)
                    self.holder = request.json
                    return 200, b""
                case "UNLOCK":
                    return self._unlock(request)
                case "POST" | "PUT":
                    return self._write(request)
                case "DELETE":
                    self.state = None
                    return 200, b""
        return 405, b""

    def _unlock(self, request: Received) -> tuple[int, bytes]:
        wanted = request.json["ID"] if request.body and self.compares else None
        if wanted is not None and (self.holder is None or self.holder["ID"] != wanted):
            return 409, orjson.dumps(self.holder)
        self.holder = None
        return 200, b""

    def _write(self, request: Received) -> tuple[int, bytes]:
        sent = parse_qs(urlsplit(request.path).query).get("ID", [""])[0]
        if self.holder is not None and self.holder["ID"] != sent:
            return _LOCKED, orjson.dumps(self.holder)
        condition = request.headers.get("if-match")
        if condition is not None and not self.ignores_conditions and (self.tags_never_match or condition != self.tag):
            return 412, b""
        self.state = request.body
        return 200, b""

    @property
    def tag(self) -> str:
        """The ETag of the state."""
        return f'"{md5(self.state or b"", usedforsecurity=False).hexdigest()}"'


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body together: otherwise the client waits for the second packet.
    wbufsize = -1
    kept: StateServer

    def _handle(self) -> None:
        request = Received(
            self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, self._body()
        )
        self.kept.requests.append(request)
        fault = self.kept.next_fault(request.method) or Fault()
        status, body = fault.status, b""
        if not status and self.kept.checks_user and "authorization" not in request.headers:
            status = 401
        elif not status:
            status, body = (200, b"") if fault.ignored else self.kept.answer(request)
        for listener in self.kept.listeners:
            listener(request.method)
        if fault.hangs:
            self.kept.ended.wait()
        if fault.lost or fault.hangs:
            self.close_connection = True
            return
        body = body if fault.body is None else fault.body
        self.send_response(status)
        for name, value in fault.headers.items():
            self.send_header(name, value)
        if self.kept.has_tags and request.method == "GET" and status == 200:
            self.send_header("ETag", self.kept.tag)
        if "Content-Length" not in fault.headers and not fault.drips:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        while fault.drips and not self.kept.ended.wait(0.02):
            self.wfile.write(fault.drips)
            self.wfile.flush()
        self.wfile.write(body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def __getattr__(self, name: str) -> Callable[[], None]:
        if name.startswith("do_"):
            return self._handle
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing: a client may close a connection at any time."""


@contextmanager
def state_server(certificates: ssl.SSLContext | None = None) -> Iterator[StateServer]:
    """Run a server on a free port of this machine, with TLS if it has certificates."""
    kept = StateServer()
    handler = type("_Bound", (_Handler,), {"kept": kept})
    with _Server(("127.0.0.1", 0), handler) as server:
        if certificates is not None:
            server.socket = certificates.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        scheme = "http" if certificates is None else "https"
        kept.url = f"{scheme}://127.0.0.1:{server.server_address[1]}/state/demo"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield kept
        finally:
            kept.ended.set()
            server.shutdown()
            thread.join()
