"""Servers that refuse everything, and say in their answer all that they were sent, credentials included."""

from __future__ import annotations

import base64
import socket
import struct
from contextlib import suppress

from tests.servers.cutting import Address, Line

_CLEARTEXT = struct.pack("!cII", b"R", 8, 3)


def echoing_http(client: socket.socket, server: Address, line: Line) -> None:
    """Answer 403 to every request, with its head and its password as the body."""
    with client.makefile("rb") as reader:
        while True:
            head = []
            while (read := reader.readline().decode("latin-1")).strip():
                head.append(read)
            if not head:
                return
            with line.request(head[0].strip()):
                pass
            length = next((int(each[15:]) for each in head if each.lower().startswith("content-length:")), 0)
            if any(each.lower().startswith("expect:") for each in head):
                client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            reader.read(length)
            body = f"<Error><Code>Refused</Code><Message>{''.join(head)}{_password(head)}</Message></Error>".encode()
            status = f"HTTP/1.1 403 {_password(head) or 'Forbidden'}\r\n"
            client.sendall(f"{status}Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


def echoing_pg(client: socket.socket, server: Address, line: Line) -> None:
    """Ask for the password in clear text, and refuse it by name."""
    with client.makefile("rb") as reader:
        while True:
            length = struct.unpack("!I", reader.read(4))[0]
            startup = reader.read(length - 4)
            if struct.unpack("!I", startup[:4])[0] == 196608:
                break
            client.sendall(b"N")
        with line.request("Startup"):
            pass
        client.sendall(_CLEARTEXT)
        reader.read(1)
        password = reader.read(struct.unpack("!I", reader.read(4))[0] - 4).rstrip(b"\0")
        fields = (b"SFATAL", b"VFATAL", b"C28P01", b"Mthe password " + password + b" is wrong", b"DIt is " + password)
        error = b"".join(field + b"\0" for field in fields) + b"\0"
        client.sendall(b"E" + struct.pack("!I", len(error) + 4) + error)


def _password(head: list[str]) -> str:
    for line in head:
        name, _, value = line.partition(":")
        if name.lower() == "authorization" and value.strip().startswith("Basic "):
            with suppress(ValueError):
                return base64.b64decode(value.split()[1]).decode("latin-1")
    return ""
