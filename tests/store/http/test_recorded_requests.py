"""The requests equal those of a real Terraform 1.11.4."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from statefmt.store.protocol import LockInfo
from statefmt.store.remote.client import LockHeldError
from tests.servers.http import Received, StateServer
from tests.store.http.conftest import MakeClient

# Some of the requests, in order, without the headers that any HTTP client sends.
RECORDED: Final[list[dict[str, Any]]] = [
    orjson.loads(line) for line in (Path(__file__).parent / "requests.jsonl").read_bytes().splitlines()
]
_TURNS: Final = ((2, 3, 5, 6), (8, 9, 13, 14), (26, 27, 28, 29))
# Of urllib3.
_OWN_HEADERS: Final = {"host", "user-agent", "accept-encoding"}
_USER: Final = {"username": "demo", "password": "not-a-real-password"}


def _recorded(number: int) -> dict[str, Any]:
    return next(one for one in RECORDED if one["n"] == number)


def _same(request: Received, recorded: dict[str, Any]) -> None:
    assert (request.method, request.path) == (recorded["method"], recorded["path"])
    assert request.body == recorded["request_body"].encode()
    expected = {name.lower(): value for name, value in recorded["request_headers"]}
    found = {name: value for name, value in request.headers.items() if name not in _OWN_HEADERS}
    # The recordings do not have it.
    assert expected.pop("authorization") == "<redacted>"
    assert found.pop("authorization") == "Basic ZGVtbzpub3QtYS1yZWFsLXBhc3N3b3Jk"
    assert found == expected


@pytest.mark.parametrize("turn", _TURNS)
def test_a_turn(turn: tuple[int, ...], server: StateServer, client: MakeClient) -> None:
    """Lock, read, write, unlock."""
    lock, read, write, unlock = map(_recorded, turn)
    server.state = read["response_body"].encode() or None
    info = LockInfo(**orjson.loads(lock["request_body"]))
    one = client(**_USER)
    one.lock(info)
    stored = one.read()
    one.write(write["request_body"].encode(), None if stored is None else stored.version, info)
    one.unlock(info)
    # The two more check that nothing has changed before the write, and that it is there afterwards.
    assert server.methods == ["LOCK", "GET", "GET", "POST", "GET", "UNLOCK"]
    for number, recorded in zip((0, 1, 3, 5), (lock, read, write, unlock), strict=True):
        _same(server.requests[number], recorded)
    assert server.state == write["request_body"].encode()
    assert server.holder is None


def test_a_lock_that_is_held(server: StateServer, client: MakeClient) -> None:
    recorded = _recorded(10)
    server.holder = orjson.loads(recorded["response_body"])
    with pytest.raises(LockHeldError) as raised:
        client(**_USER).lock(LockInfo(**orjson.loads(recorded["request_body"])))
    assert raised.value.holder == LockInfo(**orjson.loads(recorded["response_body"]))
    _same(server.requests[0], recorded)
