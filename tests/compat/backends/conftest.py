"""Real programs and real servers of backends."""

from __future__ import annotations

from tests.servers.pg import database, pg
from tests.servers.s3 import moto, seaweedfs

__all__ = ["database", "moto", "pg", "seaweedfs"]
