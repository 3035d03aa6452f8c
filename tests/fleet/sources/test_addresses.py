"""A state at an HTTP address, whose query may have a token."""

from __future__ import annotations

import pytest

from tests.fleet.sources.conftest import Indexer
from tests.fleet.test_index import state
from tests.servers.http import state_server

pytest.importorskip("duckdb")


def test_values_of_a_query_are_used_and_not_stored(index: Indexer) -> None:
    with state_server() as server:
        server.state = state(3, "main")
        address = f"{server.url}?token=canary-7f3a"
        assert index(address).failed == []
        assert [request.path.partition("?")[2] for request in server.requests] == ["token=canary-7f3a"]
        assert index(address).removed == 0
    assert index.rows("SELECT serial, source = uri FROM states") == [(3, True)]
    assert "canary" not in str(index.rows("FROM states"))
    assert b"canary" not in index.into.read_bytes()
