"""HTTP/1.1 over a proxy that cuts: a request is a whole HTTP request, with its body."""

from __future__ import annotations

import socket
from io import BufferedIOBase
from typing import Final, NamedTuple

from tests.servers.cutting import Address, Cut, Line, connected

_NO_BODY: Final = frozenset({b"204", b"304"})
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class _Head(NamedTuple):
    """The lines of a head, without their ends; the first one is that of the request or the status."""

    lines: tuple[bytes, ...]

    @property
    def first(self) -> list[bytes]:
        return self.lines[0].split(b" ", 2)

    def value(self, name: bytes) -> bytes:
        for line in self.lines[1:]:
            key, _, value = line.partition(b":")
            if key.strip().lower() == name:
                return value.strip().lower()
        return b""

    def without(self, name: bytes) -> _Head:
        kept = (line for line in self.lines[1:] if line.partition(b":")[0].strip().lower() != name)
        return _Head((self.lines[0], *kept))

    @property
    def sent(self) -> bytes:
        return b"\r\n".join((*self.lines, b"", b""))


def http(client: socket.socket, server: Address, line: Line) -> None:
    """Serve one connection; each request goes to the server over a connection of its own."""
    with client.makefile("rb") as reader:
        while (head := _head(reader)) is not None:
            if head.value(b"expect") == b"100-continue":
                client.sendall(_CONTINUE)
                head = head.without(b"expect")
            request = head.sent + _body(reader, head, until_end=False)
            method, path = head.first[:2]
            # Some clients of AWS name the operation in a header, and all post to one path.
            target = head.value(b"x-amz-target").decode()
            with line.request(f"{method.decode()} {path.decode()} {target}".rstrip()) as cut:
                if cut is Cut.BEFORE:
                    return
                answer, ends = _exchange(server, request, method)
            if cut is Cut.AFTER:
                return
            client.sendall(answer)
            if ends:
                return


def _exchange(server: Address, request: bytes, method: bytes) -> tuple[bytes, bool]:
    """The answer to a request, and whether it ends the connection."""
    with connected(server) as upstream, upstream.makefile("rb") as reader:
        upstream.sendall(request)
        while True:
            head = _head(reader)
            if head is None:
                return b"", True
            if not head.first[1].startswith(b"1"):
                break
        has_body = method != b"HEAD" and head.first[1] not in _NO_BODY
        body = _body(reader, head, until_end=True) if has_body else b""
        has_length = bool(head.value(b"content-length") or head.value(b"transfer-encoding"))
        ends = head.value(b"connection") == b"close" or head.first[0] == b"HTTP/1.0" or (has_body and not has_length)
        return head.sent + body, ends


def _head(reader: BufferedIOBase) -> _Head | None:
    lines: list[bytes] = []
    while (read := reader.readline().rstrip(b"\r\n")) or not lines:
        if not read:
            return None
        lines.append(read)
    return _Head(tuple(lines))


def _body(reader: BufferedIOBase, head: _Head, *, until_end: bool) -> bytes:
    if head.value(b"transfer-encoding").endswith(b"chunked"):
        return b"".join(_chunks(reader))
    length = head.value(b"content-length")
    if length:
        return reader.read(int(length))
    return reader.read() if until_end else b""


def _chunks(reader: BufferedIOBase) -> list[bytes]:
    found = []
    while True:
        size = reader.readline()
        found.append(size)
        if not int(size.split(b";")[0] or b"0", 16):
            break
        found.append(reader.read(int(size.split(b";")[0], 16) + 2))
    # Trailers, and the empty line at the end.
    while True:
        trailer = reader.readline()
        found.append(trailer)
        if not trailer.rstrip(b"\r\n"):
            return found
