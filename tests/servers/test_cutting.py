"""The proxy that cuts: what the server gets, and what the client learns."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.servers.cutting import Address, Cut, Line, proxied
from tests.servers.cutting_http import http as http_requests


class _Handler(BaseHTTPRequestHandler):
    """Notes what comes, and says it."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, _Server)
        self.server.bodies.append(body)
        self.send_response(200)
        if body == b"chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"3\r\ngot\r\n0\r\n\r\n")
        else:
            self.send_header("Content-Length", str(4 + len(body)))
            self.end_headers()
            self.wfile.write(b"got " + body)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


class _Server(ThreadingHTTPServer):
    """A server with the bodies that it received."""

    bodies: list[bytes]


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server(("127.0.0.1", 0), _Handler) as found:
        found.bodies = []
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@contextmanager
def _client(server: _Server, line: Line) -> Iterator[http.client.HTTPConnection]:
    address: Address = ("127.0.0.1", server.server_port)
    with proxied(address, http_requests, line) as (host, port):
        client = http.client.HTTPConnection(host, port, timeout=60)
        try:
            yield client
        finally:
            client.close()


def _put(client: http.client.HTTPConnection, body: bytes) -> bytes:
    client.request("PUT", "/here", body)
    return client.getresponse().read()


def test_all_pass(server: _Server) -> None:
    line = Line()
    with _client(server, line) as client:
        assert [_put(client, body) for body in (b"one", b"chunked", b"", b"two")] == [
            b"got one", b"got", b"got ", b"got two",
        ]  # fmt: skip
    assert line.requests == ["PUT /here"] * 4


def test_a_client_that_waits_to_be_told_to_go_on(server: _Server) -> None:
    with _client(server, Line()) as client:
        client.putrequest("PUT", "/here")
        client.putheader("Expect", "100-continue")
        client.putheader("Content-Length", "3")
        client.endheaders()
        assert client.sock is not None
        assert client.sock.recv(100).startswith(b"HTTP/1.1 100 ")
        client.send(b"one")
        assert client.getresponse().read() == b"got one"


@pytest.mark.parametrize(("cut", "arrived"), [(Cut.BEFORE, [b"one", b"two"]), (Cut.AFTER, [b"one", b"lost", b"two"])])
def test_cut(cut: Cut, arrived: list[bytes], server: _Server) -> None:
    with _client(server, Line(at=2, cut=cut)) as client:
        assert _put(client, b"one") == b"got one"
        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            _put(client, b"lost")
        assert _put(client, b"two") == b"got two"
    assert server.bodies == arrived


def test_stays_cut(server: _Server) -> None:
    line = Line(at=1, cut=Cut.AFTER, stays_cut=True)
    with _client(server, line) as client:
        for _ in range(2):
            with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
                _put(client, b"lost")
        line.mend()
        assert _put(client, b"after") == b"got after"
    assert server.bodies == [b"lost", b"after"]


def test_hold(server: _Server) -> None:
    line = Line(at=1, hold=True)
    with _client(server, line) as client:
        client.request("PUT", "/here", b"held")
        assert line.reached.wait(60)
        assert server.bodies == []
        line.release()
        assert client.getresponse().read() == b"got held"


def test_call(server: _Server) -> None:
    seen: list[list[bytes]] = []
    with _client(server, Line(at=2, call=lambda: seen.append(list(server.bodies)))) as client:
        for body in (b"one", b"two", b"three"):
            _put(client, body)
    assert seen == [[b"one"]]
