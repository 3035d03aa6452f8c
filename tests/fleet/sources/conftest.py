"""The servers of the tests here, and indexes of what they have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from statefmt import run_context
from statefmt.fleet import IndexOptions, IndexRun, index_states, query
from statefmt.store.backends.options import BackendOptions
from tests.servers.pg import database, pg
from tests.servers.s3 import moto, seaweedfs

__all__ = ["database", "moto", "pg", "seaweedfs"]


class Indexer:
    """Makes and reads one index in the environment of a test."""

    def __init__(self, into: Path) -> None:
        self.into = into
        self.environment: dict[str, str] = {"HOME": str(into.parent), "PATH": "/usr/bin:/bin"}
        self.notes: list[str] = []
        self.allowed: tuple[str, ...] = ()

    def __call__(self, *sources: str, workers: int = 1) -> IndexRun:
        backend = BackendOptions(allowed_hosts=self.allowed)
        context = replace(run_context(), environment=self.environment, note=self.notes.append, backend=backend)
        return index_states(context, sources, self.into, IndexOptions(checks=False, workers=workers))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The result of a query."""
        return [tuple(row) for row in query(self.into, sql).rows]


@pytest.fixture
def index(tmp_path: Path) -> Indexer:
    """An index that does not exist yet."""
    return Indexer(tmp_path / "index.duckdb")
