"""Lists the states in a backend, with what tells whether one has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from msgspec import Struct

from statefmt.store.backends.place import StatePlace


class ListedState(Struct, frozen=True):
    """A state that a service lists: its place, its version, such as an ETag, and its size in bytes, 0 if unknown.

    `version` is None if the service has none that costs less than reading the state. Names come from the service, and
    may be hostile.
    """

    place: StatePlace
    version: str | None
    size: int


@runtime_checkable
class ListingClient(Protocol):
    """A StateClient whose service lists states. Its methods raise StoreError, also after some states."""

    def states_below(self, prefix: str) -> Iterator[ListedState]:
        """Yield the states below a prefix: objects `*.tfstate` in a bucket, or rows in a schema, "" for all schemas."""

    def workspace_states(self) -> Iterator[ListedState]:
        """Yield the states of all workspaces of the backend."""
