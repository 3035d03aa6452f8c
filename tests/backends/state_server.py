"""A small server for the backend `http`, with locks, as its documentation asks for."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final
from urllib.parse import parse_qs, urlsplit

from tests.servers.cutting import Address


class _States(ThreadingHTTPServer):
    """States and locks by path."""

    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.states: Final[dict[str, bytes]] = {}
        self.holders: Final[dict[str, bytes]] = {}
        self.guard: Final = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    """Answers one client."""

    protocol_version = "HTTP/1.1"
    server: _States

    def handle_any(self) -> None:
        """Answer a request."""
        length = int(self.headers["Content-Length"] or 0)
        body = self.rfile.read(length)
        if self.headers["Transfer-Encoding"] == "chunked":
            while self.rfile.readline().strip():
                pass
        url = urlsplit(self.path)
        with self.server.guard:
            status, answer = self._answer(url.path, parse_qs(url.query).get("ID", [""])[0], body)
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_LOCK = do_UNLOCK = do_DELETE = handle_any  # noqa: N815  # as BaseHTTPRequestHandler calls them

    def log_message(self, *_: object) -> None:
        """Be quiet."""

    def _answer(self, path: str, lock_id: str, body: bytes) -> tuple[int, bytes]:
        states, holders = self.server.states, self.server.holders
        holder = holders.get(path)
        match self.command:
            case "GET":
                return (200, states[path]) if path in states else (404, b"")
            case "LOCK" if holder is None:
                holders[path] = body
                return 200, b""
            case "LOCK":
                return 423, holder or b""
            case "UNLOCK":
                # Terraform's force-unlock sends an empty body.
                if holder is not None and body and json.loads(body)["ID"] != json.loads(holder)["ID"]:
                    return 409, holder
                holders.pop(path, None)
                return 200, b""
            case "POST":
                if holder is not None and lock_id != json.loads(holder)["ID"]:
                    return 423, holder
                digest = base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
                if self.headers["Content-MD5"] not in (None, digest):
                    return 400, b"wrong Content-MD5"
                states[path] = body
                return 200, b""
        return 405, b""


@contextmanager
def state_server() -> Iterator[Address]:
    """The server, for as long as the context is open."""
    with _States() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield ("127.0.0.1", server.server_port)
        finally:
            server.shutdown()
            thread.join()
