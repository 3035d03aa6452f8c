"""Reading, writing and locking, as OpenTofu's client does it."""

from __future__ import annotations

from dataclasses import asdict

import orjson
import pytest

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.protocol import Stored
from statefmt.store.remote.client import LockHeldError, UnknownOutcomeError
from tests.servers.http import Fault, StateServer
from tests.store.http.conftest import MINE, THEIRS, MakeClient

OLD, NEW, OTHER = b'{"serial": 1}\n', b'{"serial": 2}\n', b'{"serial": 9}\n'


def _read(client: MakeClient) -> Stored:
    stored = client().read()
    assert stored is not None
    return stored


@pytest.mark.parametrize(
    ("fault", "content"),
    [(Fault(204), None), (Fault(404), None), (Fault(body=b""), None), (Fault(), OLD)],
    ids=["204", "404", "an empty body", "200"],
)
def test_read(fault: Fault, content: bytes | None, server: StateServer, client: MakeClient) -> None:
    server.state = OLD
    server.faults = [("GET", fault)]
    stored = client().read()
    assert (None if stored is None else stored.data) == content


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "needs credentials: set username and password, or TF_HTTP_USERNAME and TF_HTTP_PASSWORD"),
        (403, "does not accept the credentials for this read (status 403)"),
        (418, "answered the read with status 418"),
        (302, "answered the read with status 302"),
    ],
)
def test_what_cannot_be_read(status: int, message: str, server: StateServer, client: MakeClient) -> None:
    server.faults = [("GET", Fault(status))]
    with pytest.raises(StoreError) as raised:
        client().read()
    assert str(raised.value) == f"{server.url}: the server {message}"


def test_wrong_credentials(server: StateServer, client: MakeClient) -> None:
    server.faults = [("GET", Fault(401))]
    with pytest.raises(StoreError, match=r"does not accept the credentials for this read \(status 401\)"):
        client(username="me", password="x").read()


def test_damaged_content(server: StateServer, client: MakeClient) -> None:
    server.state = OLD
    server.faults = [("GET", Fault(headers={"Content-MD5": "P0cPN5Gb+JSp+j8jJNf3nQ=="}))]
    with pytest.raises(StoreError, match="it is damaged, or the server is wrong"):
        client().read()


@pytest.mark.parametrize("digest", ["qT9mZ76M25t4GBCt2UjR+w==", "a93f6667be8cdb9b781810add948d1fb"])
def test_content_with_its_digest(digest: str, server: StateServer, client: MakeClient) -> None:
    """In base64 as the RFC has it, and in hexadecimal."""
    server.state = OLD
    server.faults = [("GET", Fault(headers={"Content-MD5": digest}))]
    assert _read(client).data == OLD


def test_truncated_content(server: StateServer, client: MakeClient) -> None:
    server.state = OLD
    server.faults = [("GET", Fault(body=OLD[:5], headers={"Content-Length": "14", "Connection": "close"}))]
    stored = _read(client)
    # The second attempt.
    assert stored.data == OLD


@pytest.mark.parametrize("has_tags", [False, True])
def test_write(has_tags: bool, server: StateServer, client: MakeClient) -> None:
    server.has_tags = has_tags
    server.state = OLD
    client().write(NEW, _read(client).version, None)
    assert server.state == NEW
    write = server.requests[-2]
    assert ("if-match" in write.headers) is has_tags
    assert (write.method, write.path) == ("POST", "/state/demo")


def test_write_the_first_state(server: StateServer, client: MakeClient) -> None:
    client().write(NEW, None, None)
    assert server.state == NEW


@pytest.mark.parametrize("there", [OTHER, None])
def test_a_change_in_between(there: bytes | None, server: StateServer, client: MakeClient) -> None:
    server.state = OLD
    version = _read(client).version
    server.state = there
    with pytest.raises(ChangedError):
        client().write(NEW, version, None)
    with pytest.raises(ChangedError):
        client().delete(version)
    assert server.state == there
    assert set(server.methods) == {"GET"}


def test_a_state_where_there_was_none(server: StateServer, client: MakeClient) -> None:
    server.state = OTHER
    with pytest.raises(ChangedError):
        client().write(NEW, None, None)
    assert server.state == OTHER


def test_a_change_after_the_last_reading(server: StateServer, client: MakeClient) -> None:
    """A server that knows conditions refuses the write."""
    server.has_tags = True
    server.state = OLD
    version = _read(client).version

    def change(line: str) -> None:
        if line.startswith("GET"):
            server.state = OTHER

    # A request is shown once its answer is there.
    with pytest.raises(ChangedError):
        client(options={"debug": change}).write(NEW, version, None)
    assert server.state == OTHER
    # The first POST asks whether conditions count.
    assert server.methods == ["GET", "GET", "POST", "POST", "GET"]


@pytest.mark.parametrize("has_tags", [False, True])
def test_without_a_lock_and_with_conditions_that_count_nothing_is_noted(
    has_tags: bool, server: StateServer, client: MakeClient, notes: list[str]
) -> None:
    server.has_tags = has_tags
    server.state = OLD
    client().write(NEW, _read(client).version, None)
    assert any("the server sends no ETag" in note for note in notes) is not has_tags


def test_a_server_that_ignores_conditions(server: StateServer, client: MakeClient) -> None:
    """Without a lock, nothing would keep two writers apart: nothing is written, and the state keeps its bytes."""
    server.has_tags = server.ignores_conditions = True
    server.state = OLD
    with pytest.raises(StoreError, match="ignores the condition If-Match, and nothing locks this state") as error:
        client().write(NEW, _read(client).version, None)
    assert not isinstance(error.value, UnknownOutcomeError)
    assert "Set lock_address and unlock_address" in str(error.value)
    assert server.state == OLD
    assert [request.body for request in server.requests if request.method == "POST"] == [OLD]


def test_a_lock_is_enough_for_a_server_that_ignores_conditions(server: StateServer, client: MakeClient) -> None:
    server.has_tags = server.ignores_conditions = True
    server.state = OLD
    one = client()
    one.lock(MINE)
    one.write(NEW, _read(client).version, MINE)
    assert server.state == NEW
    assert server.methods.count("POST") == 1


@pytest.mark.parametrize("fault", [Fault(lost=True), Fault(503), Fault(401)])
def test_whether_conditions_count_is_not_known(fault: Fault, server: StateServer, client: MakeClient) -> None:
    server.has_tags = True
    server.state = OLD
    server.faults = [("POST", fault)]
    with pytest.raises(StoreError) as error:
        client().write(NEW, _read(client).version, None)
    assert not isinstance(error.value, UnknownOutcomeError)
    assert server.state == OLD
    assert server.methods.count("POST") == 1


def test_a_server_whose_conditions_are_about_something_else(server: StateServer, client: MakeClient) -> None:
    server.has_tags = server.tags_never_match = True
    server.state = OLD
    with pytest.raises(StoreError, match="refuses its own ETag as the condition If-Match, and nothing locks"):
        client().write(NEW, _read(client).version, None)
    assert server.state == OLD
    one = client()
    one.lock(MINE)
    one.write(NEW, _read(client).version, MINE)
    assert server.state == NEW
    assert server.methods[-5:] == ["GET", "POST", "GET", "POST", "GET"]


def test_a_weak_tag_is_no_condition(server: StateServer, client: MakeClient) -> None:
    server.state = OLD
    server.faults = [("GET", Fault(headers={"ETag": 'W/"1"'})) for _ in range(2)]
    client().write(NEW, _read(client).version, None)
    assert "if-match" not in server.requests[-2].headers


def test_methods_and_headers(server: StateServer, client: MakeClient) -> None:
    one = client(update_method="PUT", lock_method="POST", unlock_method="DELETE", headers={"X-Team": "a b"})
    with pytest.raises(LockHeldError):
        # To this server, it is a write.
        server.holder = asdict(THEIRS)
        one.lock(MINE)
    server.holder = None
    one.write(NEW, None, None)
    one.unlock(MINE)
    assert server.methods == ["POST", "GET", "PUT", "GET", "DELETE"]
    assert {request.headers["x-team"] for request in server.requests} == {"a b"}
    assert not any("authorization" in request.headers for request in server.requests)


def test_the_query_of_the_address_is_kept(server: StateServer, client: MakeClient) -> None:
    server.holder = asdict(MINE)
    client(address=f"{server.url}?z=%2F&ID=old&a=b%20c").write(NEW, None, MINE)
    # As Go's url.Values.Encode writes it.
    assert server.requests[-2].path == "/state/demo?ID=1c8a&a=b+c&z=%2F"


def test_lock_and_unlock(server: StateServer, client: MakeClient) -> None:
    one = client()
    one.lock(MINE)
    assert server.holder == asdict(MINE)
    with pytest.raises(LockHeldError) as raised:
        client().lock(THEIRS)
    assert (raised.value.lock_id, raised.value.holder) == (MINE.ID, MINE)
    one.unlock(MINE)
    assert not server.lock_id


@pytest.mark.parametrize("body", [b"", b"locked", b"[]", b"\xff"])
def test_a_holder_that_is_not_told(body: bytes, server: StateServer, client: MakeClient) -> None:
    server.faults = [("LOCK", Fault(409, body=body))]
    with pytest.raises(LockHeldError) as raised:
        client().lock(MINE)
    assert (raised.value.lock_id, raised.value.holder) == ("", None)


def test_the_lock_is_gone(server: StateServer, client: MakeClient) -> None:
    """Somebody has forced it open, and taken it."""
    server.state = OLD
    server.holder = asdict(THEIRS)
    one = client()
    with pytest.raises(StoreError, match="the state is locked by them@there with the ID 77b0"):
        one.write(NEW, _read(client).version, MINE)
    with pytest.raises(StoreError, match="the state is locked by them@there with the ID 77b0"):
        one.unlock(MINE)
    assert server.state == OLD
    assert server.holder == asdict(THEIRS)


@pytest.mark.parametrize("compares", [True, False])
def test_force_unlock(compares: bool, server: StateServer, client: MakeClient) -> None:
    server.compares = compares
    server.holder = asdict(THEIRS)
    with pytest.raises(StoreError, match="the lock has the ID 77b0, not 0000: it is held by them@there; nothing was"):
        client().force_unlock("0000")
    assert server.holder == asdict(THEIRS)
    assert client().force_unlock(THEIRS.ID) == THEIRS
    assert not server.lock_id
    # As OpenTofu 1.10 and later send it.
    assert server.requests[-1].json == {
        **dict.fromkeys(("Operation", "Info", "Who", "Version", "Path"), ""),
        "ID": "77b0",
        "Created": "0001-01-01T00:00:00Z",
    }


def test_force_unlock_where_there_is_no_lock(server: StateServer, client: MakeClient) -> None:
    assert client().force_unlock("0000") is None
    assert not server.lock_id


def test_locks_need_both_addresses(server: StateServer, client: MakeClient) -> None:
    assert client().is_locking
    assert not client(lock_address="").is_locking
    with pytest.raises(StoreError, match="unlock_address is not set"):
        client(unlock_address="").lock(MINE)
    assert server.requests == []


def test_the_holder_cannot_be_read(client: MakeClient) -> None:
    with pytest.raises(NotImplementedError):
        client().holder()


def test_delete_and_workspaces(server: StateServer, client: MakeClient) -> None:
    server.state = OLD
    assert client().workspaces() == ("default",)
    client().delete(_read(client).version)
    assert client().workspaces() == ()
    assert server.state is None


def test_a_large_state_arrives_in_full(server: StateServer, client: MakeClient) -> None:
    content = orjson.dumps(["x" * 1000] * 3000)
    client().write(content, None, None)
    assert server.state == content
    assert _read(client).data == content
