"""The name of a state in a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Every command looks whether a name is one of these.
    from statefmt.store.backends.place import StatePlace


class RemoteName(str):
    """The location of a state in a backend, as users see it, with its place.

    States are named by strings everywhere; this one remembers the settings that a URL must not show.
    """

    __slots__ = ("place",)

    place: StatePlace

    def __new__(cls, place: StatePlace) -> RemoteName:
        """Make the name of a place."""
        name = super().__new__(cls, place.location)
        name.place = place
        return name
