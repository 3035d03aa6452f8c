"""The versions of a state that the service of its backend keeps, apart from statetool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct


class ObjectVersion(Struct, frozen=True):
    """A version of a state that a service keeps.

    `time` is when it was written, in UTC (RFC 3339), and `size` its size in bytes. `is_current` if a command reads it
    unless another one is named.
    """

    id: str
    time: str
    size: int
    is_current: bool


@runtime_checkable
class VersionedClient(Protocol):
    """A StateClient whose service keeps versions. Its methods raise StoreError."""

    def object_versions(self) -> Sequence[ObjectVersion]:
        """Return the versions of the state, newest first; only the current one if the service keeps no others."""

    def read_version(self, version_id: str) -> bytes:
        """Return the content of a version. Raises StoreError also if there is no such version."""

    def close(self) -> None:
        """Close the connection."""
