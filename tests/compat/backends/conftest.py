"""Real programs and real servers of backends."""

from __future__ import annotations

from tests.servers.pg import database, pg

__all__ = ["database", "pg"]
