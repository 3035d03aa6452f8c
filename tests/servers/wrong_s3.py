"""A wrong server of S3: a proxy in front of a right one that does to some requests what servers and networks do.

It drops conditions, loses writes, cuts connections, refuses for a while, or answers too late. The server behind it must
not check signatures: they cover the headers of conditions.
"""

from __future__ import annotations

import hashlib
import http.client
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from tests.servers.s3 import S3Server

# A guard against hangs, in seconds.
_PATIENCE: Final = 60.0
_CONDITIONS: Final = ("if-none-match", "if-match")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answers."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sends; names of headers are in lower case. `path` has no query."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    forward: Callable[[Request], Answer]
    wait_until_hung_up: Callable[[], None]

    @property
    def path(self) -> str:
        """The path without the query."""
        return urlsplit(self.target).path

    @property
    def operation(self) -> str:
        """The operation of DynamoDB, such as `PutItem`; empty for S3."""
        return self.headers.get("x-amz-target", "").rpartition(".")[2]

    @property
    def names_lock(self) -> bool:
        """Whether it is about a lock object."""
        return self.path.endswith(".tflock")

    @property
    def writes_lock(self) -> bool:
        """Whether it creates a lock object."""
        return self.method == "PUT" and self.names_lock

    @property
    def writes_state(self) -> bool:
        """Whether it writes an object that is no lock."""
        return self.method == "PUT" and not self.names_lock


# Gives the answer to a request, or None: the connection is closed without one.
Fault: TypeAlias = Callable[[Request], Answer | None]


def without_conditions(request: Request) -> Answer | None:
    """Ignore If-None-Match and If-Match, as some servers do."""
    kept = {name: value for name, value in request.headers.items() if name not in _CONDITIONS}
    return request.forward(replace(request, headers=kept))


def lost(request: Request) -> Answer | None:
    """Say that it is written, and write nothing."""
    etag = hashlib.md5(request.body, usedforsecurity=False).hexdigest()
    return Answer(200, (("ETag", f'"{etag}"'),), b"")


def cut_before(request: Request) -> Answer | None:
    """Close the connection; the request has no effect."""
    return None


def cut_after(request: Request) -> Answer | None:
    """Close the connection when the request has had its effect."""
    request.forward(request)
    return None


def too_late(request: Request) -> Answer | None:
    """Give no answer until the client hangs up, although the request has its effect at once."""
    request.forward(request)
    request.wait_until_hung_up()
    return None


def in_vain(request: Request) -> Answer | None:
    """Give no answer until the client hangs up; the request has no effect."""
    request.wait_until_hung_up()
    return None


def after_all(request: Request) -> Answer | None:
    """Give no answer until the client hangs up, and only then let the request have its effect."""
    request.wait_until_hung_up()
    request.forward(request)
    return None


def refused(status: int, code: str) -> Fault:
    """Answer with an error, such as 503 and SlowDown."""

    def answer(request: Request) -> Answer | None:
        if request.operation:
            body = f'{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"wrong on purpose"}}'
            return Answer(status, (("Content-Type", "application/x-amz-json-1.0"),), body.encode())
        error = f"<Error><Code>{code}</Code><Message>wrong on purpose</Message></Error>"
        content = b"" if request.method == "HEAD" else f'<?xml version="1.0" encoding="UTF-8"?>{error}'.encode()
        return Answer(status, (("Content-Type", "application/xml"),), content)

    return answer


@dataclass(slots=True)
class WrongServer:
    """A running proxy: the server to use, the requests that came, and what happens to them."""

    server: S3Server
    requests: list[str] = field(default_factory=list)
    _faults: list[tuple[Callable[[Request], bool], Fault, list[None]]] = field(default_factory=list)
    _lock: threading.Condition = field(default_factory=threading.Condition)
    _at_work: int = 0

    def at(self, matches: Callable[[Request], bool], fault: Fault, *, times: int = 1_000_000) -> None:
        """Do this to the next requests that match; what was said first wins."""
        self._faults.append((matches, fault, [None] * times))

    def count(self, method: str, end: str) -> int:
        """How many requests came with a method, for a path with an end."""
        return sum(each.startswith(f"{method} ") and each.endswith(end) for each in self.requests)

    def heal(self) -> None:
        """Do all requests right from now on."""
        self._faults.clear()

    def answer(self, request: Request) -> Answer | None:
        """Answer a request, rightly or wrongly."""
        with self._lock:
            self.requests.append(f"{request.method} {request.path}{request.operation}")
            fault = self._fault(request)
            self._at_work += 1
        try:
            return fault(request) if fault is not None else request.forward(request)
        finally:
            with self._lock:
                self._at_work -= 1
                self._lock.notify_all()

    def settled(self) -> None:
        """Wait until no request can have an effect any more."""
        with self._lock:
            assert self._lock.wait_for(lambda: self._at_work == 0, _PATIENCE)

    def _fault(self, request: Request) -> Fault | None:
        for matches, fault, left in self._faults:
            if left and matches(request):
                left.pop()
                return fault
        return None


@contextmanager
def wrong_server(behind: S3Server) -> Iterator[WrongServer]:
    """A proxy in front of a server, which does all right until it is told otherwise with `at`."""
    behind_url = urlsplit(behind.url)
    assert behind_url.hostname is not None
    assert behind_url.port is not None
    upstream = (behind_url.hostname, behind_url.port)

    class Handler(_Handler):
        def answered(self, request: Request) -> Answer | None:
            return found.answer(request)

        def forward(self, request: Request) -> Answer:
            return _forwarded(upstream, request)

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    found = WrongServer(replace(behind, url=f"http://127.0.0.1:{listener.server_address[1]}"))
    serving = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.05})
    serving.start()
    try:
        yield found
    finally:
        listener.shutdown()
        serving.join()
        listener.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body go out in two writes: with Nagle's algorithm the second one waits for an acknowledgement.
    disable_nagle_algorithm = True

    def answered(self, request: Request) -> Answer | None:
        raise NotImplementedError

    def forward(self, request: Request) -> Answer:
        raise NotImplementedError

    def do_any(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = _body(self, headers)
        request = Request(self.command, self.path, headers, body, self.forward, self._wait_until_hung_up)
        answer = self.answered(request)
        if answer is None:
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if not any(name.lower() == "content-length" for name, _ in answer.headers) and answer.status != 204:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_any  # noqa: N815 (names that the base class calls)

    def _wait_until_hung_up(self) -> None:
        readable, _, _ = select.select([self.connection], [], [], _PATIENCE)
        if readable:
            # The end of the stream, since a client waits for an answer before it sends more.
            self.connection.recv(1, socket.MSG_PEEK)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name in the base class)
        """Print nothing."""


def _body(handler: BaseHTTPRequestHandler, headers: dict[str, str]) -> bytes:
    if headers.pop("transfer-encoding", "") != "chunked":
        return handler.rfile.read(int(headers.get("content-length", "0")))
    parts = []
    while size := int(handler.rfile.readline().split(b";")[0], 16):
        parts.append(handler.rfile.read(size))
        handler.rfile.readline()
    while handler.rfile.readline().strip():
        pass
    return b"".join(parts)


def _forwarded(upstream: tuple[str, int], request: Request) -> Answer:
    connection = http.client.HTTPConnection(*upstream, timeout=_PATIENCE)
    left_out = {"connection", "expect", "content-length"}
    try:
        connection.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers.items():
            if name not in left_out:
                connection.putheader(name, value)
        if request.body or request.method in {"PUT", "POST"}:
            connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body)
        response = connection.getresponse()
        hop = {"connection", "transfer-encoding", "keep-alive"}
        headers = tuple((name, value) for name, value in response.getheaders() if name.lower() not in hop)
        return Answer(response.status, headers, response.read())
    finally:
        connection.close()
