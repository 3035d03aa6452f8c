"""Follows instances while operations move them: where each one came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from statefmt.model.addrs import AbsResourceInstance


class InstanceOrigins:
    """The instances of a state that have moved, and those that came from other states."""

    def __init__(self) -> None:
        self._now: dict[AbsResourceInstance, AbsResourceInstance] = {}
        # Old addresses by those now; None for what came from another state.
        self._before: dict[AbsResourceInstance, AbsResourceInstance | None] = {}
        self._homes: dict[AbsResourceInstance, str] = {}

    @property
    def moved(self) -> dict[AbsResourceInstance, AbsResourceInstance]:
        """Old addresses with the new ones, of what has moved within the state and is still there."""
        return {one: other for one, other in self._now.items() if one != other}

    @property
    def homes(self) -> dict[AbsResourceInstance, str]:
        """The states that instances came from, by their addresses here."""
        return dict(self._homes)

    def home(self, addr: AbsResourceInstance) -> str | None:
        """Return the state that an instance came from; None if that is this one."""
        return self._homes.get(addr)

    def move(self, moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> None:
        """Follow instances to new addresses in the state."""
        left = [(other, self._before.pop(one, one), self._homes.pop(one, None)) for one, other in moved.items()]
        for addr, before, home in left:
            self._before[addr] = before
            if before is not None:
                self._now[before] = addr
            if home is not None:
                self._homes[addr] = home

    def leave(self, gone: Iterable[AbsResourceInstance]) -> None:
        """Forget instances that are no longer in the state."""
        for addr in gone:
            self._homes.pop(addr, None)
            before = self._before.pop(addr, None)
            if before is not None:
                del self._now[before]

    def arrive(self, came: Mapping[AbsResourceInstance, str | None]) -> None:
        """Take instances from other states; None for one that has been in this state before."""
        for addr, home in came.items():
            self._before[addr] = None
            if home is not None:
                self._homes[addr] = home
