"""What becomes of a request is found out by asking, never guessed."""

from __future__ import annotations

import gzip
from dataclasses import asdict
from pathlib import Path
from typing import Final

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.remote.client import LockHeldError, UnknownOutcomeError
from tests.servers.certificates import Authority
from tests.servers.http import Fault, StateServer, state_server
from tests.store.http.conftest import MINE, THEIRS, MakeClient

OLD, NEW = b'{"serial": 1}\n', b'{"serial": 2}\n'
LOST = Fault(lost=True)
# The connection ends before the server does anything.
CUT = Fault(lost=True, ignored=True)
# As if there were no end.
_STORM = 50


@pytest.mark.parametrize("fault", [Fault(429), Fault(503, {"Retry-After": "0"}), Fault(500), CUT], ids=str)
def test_reads_are_repeated(fault: Fault, server: StateServer, client: MakeClient) -> None:
    server.state = OLD
    server.faults = [("GET", fault)] * 2
    stored = client().read()
    assert stored is not None
    assert stored.data == OLD
    assert server.methods == ["GET"] * 3


@pytest.mark.parametrize(
    ("fault", "message"),
    [(Fault(503), "answered the read with status 503"), (CUT, "the connection was lost before the end of the answer")],
    ids=str,
)
def test_reads_are_not_repeated_without_end(
    fault: Fault, message: str, server: StateServer, client: MakeClient
) -> None:
    server.faults = [("GET", fault)] * _STORM
    with pytest.raises(StoreError, match=message):
        client(retry_max=4).read()
    assert len(server.requests) == 5


def test_what_will_not_pass_is_not_repeated(server: StateServer, client: MakeClient) -> None:
    server.faults = [("GET", Fault(501))]
    with pytest.raises(StoreError, match="status 501"):
        client().read()
    assert len(server.requests) == 1


def test_a_server_that_asks_for_an_hour(server: StateServer, client: MakeClient) -> None:
    server.faults = [("GET", Fault(429, {"Retry-After": "3600"}))]
    with pytest.raises(StoreError, match="status 429"):
        client().read()
    assert len(server.requests) == 1


@pytest.mark.parametrize("fault", [LOST, CUT, Fault(500), Fault(503), Fault(429)], ids=str)
def test_a_lock_is_asked_for_again(fault: Fault, server: StateServer, client: MakeClient) -> None:
    server.faults = [("LOCK", fault)]
    client().lock(MINE)
    assert server.holder == asdict(MINE)
    assert server.methods == ["LOCK"] * 2


@pytest.mark.parametrize("fault", [LOST, Fault(503)], ids=str)
def test_a_lock_whose_answers_are_all_lost(fault: Fault, server: StateServer, client: MakeClient) -> None:
    server.faults = [("LOCK", fault)] * _STORM
    with pytest.raises(UnknownOutcomeError):
        client().lock(MINE)


def test_the_lock_of_somebody_else_is_not_taken_for_ours(server: StateServer, client: MakeClient) -> None:
    server.holder = asdict(THEIRS)
    server.faults = [("LOCK", LOST)]
    with pytest.raises(LockHeldError) as raised:
        client().lock(MINE)
    assert raised.value.holder == THEIRS


@pytest.mark.parametrize("fault", [LOST, CUT])
def test_a_write_without_an_answer_is_not_repeated(fault: Fault, server: StateServer, client: MakeClient) -> None:
    one = client()
    server.faults = [("POST", fault)]
    with pytest.raises(UnknownOutcomeError, match="POST was sent, and the connection was lost"):
        one.write(NEW, None, None)
    assert server.methods == ["GET", "POST"]


@pytest.mark.parametrize("fault", [LOST, CUT, Fault(502), Fault(500)], ids=str)
def test_somebody_else_wrote_after_a_lost_answer(fault: Fault, server: StateServer, client: MakeClient) -> None:
    """It is neither overwritten nor taken for ours."""
    server.state = OLD
    one = client()
    stored = one.read()
    assert stored is not None

    def overtake(method: str) -> None:
        if method == "POST":
            server.state = b"theirs"

    server.listeners.append(overtake)
    server.faults = [("POST", fault)]
    with pytest.raises(StoreError):
        one.write(NEW, stored.version, None)
    assert (server.state, server.methods.count("POST")) == (b"theirs", 1)


def test_a_write_that_is_confirmed_and_lost(server: StateServer, client: MakeClient) -> None:
    server.faults = [("POST", Fault(ignored=True))]
    with pytest.raises(UnknownOutcomeError, match="the server confirmed the write, but has other content"):
        client().write(NEW, None, None)


def test_a_server_with_a_layout_of_its_own(server: StateServer, client: MakeClient) -> None:
    """It keeps JSON, not bytes."""

    def lay_out(method: str) -> None:
        if method == "POST":
            server.state = b'{"serial":2}'

    server.listeners.append(lay_out)
    client().write(NEW, None, None)


# What is written, what the server keeps of it, and whether that is the same.
KEPT = {
    "white space": (b'{"a": 1.0, "b": [1, "x"]}', b'{"a":1.0,"b":[1,"x"]}', True),
    "the order of members": (b'{"a": 1, "b": {"c": 2, "d": 3}}', b'{"b": {"d": 3, "c": 2}, "a": 1}', True),
    "an escape": (b'{"a": "\\u0041"}', b'{"a": "A"}', True),
    "a long number": (b'{"a": 123456789012345678901234567890}', b'{"a": 1.2345678901234568e+29}', False),
    "digits of a fraction": (b'{"a": 0.1000000000000000055}', b'{"a": 0.1}', False),
    "a fraction of zeros": (b'{"a": 1.0}', b'{"a": 1}', False),
    "a number as a string": (b'{"a": 1}', b'{"a": "1"}', False),
    "a truth value": (b'{"a": 1}', b'{"a": true}', False),
    "the order of a list": (b'{"a": [1, 2]}', b'{"a": [2, 1]}', False),
    "a repeated member": (b'{"a": 1, "a": 2}', b'{"a": 2}', False),
    "a member that is null": (b'{"a": 1, "b": null}', b'{"a": 1}', False),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_a_server_keeps_is_what_was_written(name: str, server: StateServer, client: MakeClient) -> None:
    written, kept, same = KEPT[name]

    def keep(method: str) -> None:
        if method == "POST":
            server.state = kept

    server.listeners.append(keep)
    if same:
        client().write(written, None, None)
    else:
        with pytest.raises(UnknownOutcomeError, match="confirmed the write, but has other content"):
            client().write(written, None, None)


def test_a_write_that_cannot_be_read_again(server: StateServer, client: MakeClient, notes: list[str]) -> None:
    server.faults = [("GET", Fault()), *[("GET", Fault(500))] * _STORM]
    client().write(NEW, None, None)
    assert server.state == NEW
    assert notes[-1].startswith("the server confirmed the write, but the state could not be read again: ")


def test_a_write_that_takes_too_long(server: StateServer, client: MakeClient) -> None:
    server.faults = [("POST", Fault(hangs=True))]
    with pytest.raises(UnknownOutcomeError, match=r"POST was sent, and .* within 0\.2 s"):
        client(environment={"STATETOOL_TIMEOUT": "0.2"}).write(NEW, None, None)
    assert server.state == NEW


def test_a_write_that_was_too_many_is_repeated(server: StateServer, client: MakeClient) -> None:
    server.faults = [("POST", Fault(429))]
    client().write(NEW, None, None)
    assert server.state == NEW
    assert server.methods == ["GET", "POST", "POST", "GET"]


def test_a_write_after_an_error_of_the_server_is_repeated_if_it_had_no_effect(
    server: StateServer, client: MakeClient
) -> None:
    server.state = OLD
    stored = client().read()
    assert stored is not None
    server.faults = [("POST", Fault(503))]
    client().write(NEW, stored.version, None)
    assert server.state == NEW
    assert server.methods == ["GET", "GET", "POST", "GET", "POST", "GET"]


def test_a_write_after_an_error_of_the_server_is_not_repeated_if_it_had_its_effect(
    server: StateServer, client: MakeClient
) -> None:
    def carry_out(method: str) -> None:
        if method == "POST":
            server.state = NEW

    server.listeners.append(carry_out)
    server.faults = [("POST", Fault(502))]
    client().write(NEW, None, None)
    assert server.methods == ["GET", "POST", "GET"]


def test_a_storm(server: StateServer, client: MakeClient) -> None:
    server.faults = [("POST", Fault(503))] * _STORM
    with pytest.raises(UnknownOutcomeError, match="answered the write with status 503"):
        client().write(NEW, None, None)
    assert server.methods == ["GET", "POST"] * 3


@pytest.mark.parametrize("fault", [LOST, CUT, Fault(503)], ids=str)
@pytest.mark.parametrize("compares", [True, False])
def test_an_unlock_without_an_answer(fault: Fault, compares: bool, server: StateServer, client: MakeClient) -> None:
    server.compares = compares
    server.holder = asdict(MINE)
    server.faults = [("UNLOCK", fault)]
    client().unlock(MINE)
    assert not server.lock_id


def test_an_unlock_without_an_answer_removes_no_other_lock(server: StateServer, client: MakeClient) -> None:
    """The lock is somebody else's before the answer is missed, and the server compares no IDs."""

    def take(method: str) -> None:
        if method == "UNLOCK":
            server.holder = asdict(THEIRS)

    server.listeners.append(take)
    server.compares = False
    server.holder = asdict(MINE)
    server.faults = [("UNLOCK", LOST)]
    client().unlock(MINE)
    assert server.holder == asdict(THEIRS)


def test_a_server_that_is_not_there(client: MakeClient, server: StateServer) -> None:
    """Nothing has arrived, so that the outcome is known."""
    url = "http://127.0.0.1:1/state"
    one = client(address=url, lock_address=url, unlock_address=url)
    for call in (one.read, lambda: one.lock(MINE), lambda: one.write(NEW, None, None), lambda: one.unlock(MINE)):
        with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:1/state: connection refused") as raised:
            call()
        assert not isinstance(raised.value, UnknownOutcomeError)


@pytest.mark.parametrize("text", ["0", "x", "-1", "1e9", "nan", "inf", "9999999"])
def test_a_time_that_is_none(text: str, client: MakeClient) -> None:
    with pytest.raises(StoreError, match="STATETOOL_TIMEOUT must be a number of seconds, such as 120"):
        client(environment={"STATETOOL_TIMEOUT": text})


_ENDLESS: Final = [
    pytest.param({"Content-Length": "1000000"}, b" ", id="with a length"),
    pytest.param({"Transfer-Encoding": "chunked"}, b"1\r\n \r\n", id="in chunks"),
    pytest.param({"Connection": "close"}, b" ", id="up to the end of the connection"),
]


@pytest.mark.parametrize(("headers", "piece"), _ENDLESS)
def test_an_answer_that_drips(headers: dict[str, str], piece: bytes, server: StateServer, client: MakeClient) -> None:
    """Each byte comes in time, and the last one never."""
    server.faults = [("GET", Fault(200, headers, drips=piece))] * _STORM
    message = r"/state/demo: the answer was not complete within 0\.5 s; set STATETOOL_TIMEOUT to wait longer\Z"
    with pytest.raises(StoreError, match=message):
        client(environment={"STATETOOL_TIMEOUT": "0.5"}).read()
    assert len(server.requests) == 1


def test_a_dripping_answer_over_tls(client: MakeClient, tmp_path: Path) -> None:
    with state_server(Authority().server(tmp_path)) as server:
        server.faults = [("GET", Fault(200, {"Connection": "close"}, drips=b" "))]
        reading = client(environment={"STATETOOL_TIMEOUT": "1"}, options={"verify": False}, address=server.url)
        with pytest.raises(StoreError, match=r"not complete within 1 s"):
            reading.read()


def test_a_client_goes_on_after_the_limit(server: StateServer, client: MakeClient) -> None:
    server.state = OLD
    server.faults = [("GET", Fault(200, {"Connection": "close"}, drips=b" "))]
    reading = client(environment={"STATETOOL_TIMEOUT": "0.5"})
    with pytest.raises(StoreError, match="not complete"):
        reading.read()
    stored = reading.read()
    assert stored is not None
    assert stored.data == OLD


@pytest.mark.parametrize(("headers", "piece"), [_ENDLESS[1], _ENDLESS[2]])
def test_an_answer_without_an_end(
    headers: dict[str, str], piece: bytes, server: StateServer, client: MakeClient
) -> None:
    piece = piece.replace(b"1\r\n \r\n", b"40000\r\n%b\r\n" % (b" " * 0x40000))
    server.faults = [("GET", Fault(200, headers, drips=piece * (1 if len(piece) > 1 else 0x40000)))] * _STORM
    message = r"the answer has more than 2,097,152 bytes, the limit; STATETOOL_MAX_SIZE=2GiB would raise the limit\Z"
    with pytest.raises(StoreError, match=message):
        client(environment={"STATETOOL_MAX_SIZE": "2MiB"}).read()
    assert len(server.requests) == 1


@pytest.mark.parametrize("text", ["0MiB", "12", "MiB", "1 GiB", "1TiB", "-1MiB"])
def test_a_size_that_is_not_one(text: str, client: MakeClient) -> None:
    with pytest.raises(StoreError, match="STATETOOL_MAX_SIZE must be a size with a unit, such as 512MiB or 2GiB"):
        client(environment={"STATETOOL_MAX_SIZE": text})


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip", "identity, br", "GZIP", "no such"])
def test_an_encoding_that_was_not_asked_for(encoding: str, server: StateServer, client: MakeClient) -> None:
    body = gzip.compress(OLD)
    server.faults = [("GET", Fault(200, {"Content-Encoding": encoding}, body=body))] * _STORM
    with pytest.raises(StoreError, match=rf"the answer has the encoding '{encoding}', which was not asked for"):
        client().read()
    assert len(server.requests) == 1


@pytest.mark.parametrize("encoding", ["identity", "aws-chunked", ""])
def test_an_encoding_that_changes_nothing(encoding: str, server: StateServer, client: MakeClient) -> None:
    server.faults = [("GET", Fault(200, {"Content-Encoding": encoding}, body=OLD))]
    stored = client().read()
    assert stored is not None
    assert stored.data == OLD


def test_the_encoding_of_a_confirmation_does_not_matter(server: StateServer, client: MakeClient) -> None:
    server.faults = [("POST", Fault(200, {"Content-Encoding": "gzip"}, body=b"x"))]
    server.listeners.append(lambda method: setattr(server, "state", NEW) if method == "POST" else None)
    client().write(NEW, None, None)
    assert server.state == NEW
