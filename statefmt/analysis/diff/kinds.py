"""The kinds of differences, by which they can be filtered."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from statefmt.analysis.diff._model import InstanceChange, MemberChange


class Kind(StrEnum):
    """A kind of difference. `MOVED` includes `REKEYED`; `CHANGED` includes all from `ATTRIBUTES` to `DEPOSED`."""

    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    REKEYED = "rekeyed"
    REBOUND = "rebound"
    CHANGED = "changed"
    ATTRIBUTES = "attributes"
    TAINTED = "tainted"
    SCHEMA = "schema"
    PRIVATE = "private"
    DEPENDENCIES = "dependencies"
    DEPOSED = "deposed"
    RESOURCES = "resources"
    OUTPUTS = "outputs"
    CHECKS = "checks"
    ENVELOPE = "envelope"


_WITHIN: Final = {
    Kind.MOVED: {Kind.REKEYED},
    Kind.CHANGED: {
        Kind.ATTRIBUTES, Kind.TAINTED, Kind.SCHEMA, Kind.PRIVATE, Kind.DEPENDENCIES, Kind.DEPOSED,
    },
}  # fmt: skip
_MEMBERS: Final = {
    "provider": Kind.REBOUND,
    "status": Kind.TAINTED,
    "schema_version": Kind.SCHEMA,
    "identity_schema_version": Kind.SCHEMA,
    "private": Kind.PRIVATE,
    "dependencies": Kind.DEPENDENCIES,
    "depends_on": Kind.DEPENDENCIES,
}


def kinds(only: Iterable[Kind] = (), ignored: Iterable[Kind] = ()) -> frozenset[Kind]:
    """Return the requested kinds, all if `only` is empty, without the ignored ones."""
    wanted = _with_parts(only) or set(Kind)
    return frozenset(wanted - _with_parts(ignored))


def member_kind(change: MemberChange) -> Kind:
    """Return the kind of a difference in one member of an object."""
    return _MEMBERS.get(change.name, Kind.ATTRIBUTES)


def instance_kind(change: InstanceChange) -> Kind | None:
    """Return how the address of an instance changed; None if it did not."""
    if change.old is None:
        return Kind.ADDED
    if change.new is None:
        return Kind.REMOVED
    if change.is_rekeyed:
        return Kind.REKEYED
    return Kind.MOVED if change.is_moved else None


def _with_parts(given: Iterable[Kind]) -> set[Kind]:
    chosen = set(given)
    return chosen.union(*(_WITHIN.get(kind, set()) for kind in chosen))
