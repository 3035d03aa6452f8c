"""Sources with credentials, and different states that have the same location without them."""

from __future__ import annotations

import pytest

from tests.fleet.sources.conftest import Indexer

pytest.importorskip("duckdb")

# Nothing listens there.
_ADDRESS = "http://127.0.0.1:1/state"


def test_no_value_of_a_query_is_in_an_index(index: Indexer) -> None:
    run = index(f"{_ADDRESS}?token=canary-1", "foo://me:canary-2@host")
    assert index.rows("SELECT uri, source FROM states") == [(f"{_ADDRESS}?token=…", f"{_ADDRESS}?token=…")]
    assert run.missing == ["foo://…@host: the scheme of this URL is not that of a backend"]
    assert b"canary" not in index.into.read_bytes()


def test_a_state_with_the_location_of_another_is_not_skipped_silently(index: Indexer) -> None:
    assert index(f"{_ADDRESS}?token=canary-1", f"{_ADDRESS}?token=canary-1").missing == []
    run = index(f"{_ADDRESS}?token=canary-1", f"{_ADDRESS}?token=canary-2")
    assert run.states == 1
    [message] = run.missing
    assert message.startswith(f"{_ADDRESS}?token=…: another state has the same location")
