"""Finds real objects that states of several lineages manage, and copies of states, with the saved queries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from msgspec import Struct

from statefmt.fleet.queries.run import typed_query
from statefmt.fleet.queries.saved import saved_query


class ManagedPlace(Struct, frozen=True):
    """Where an object is managed: a state, and the address of the instance; `deposed` is "" for the current object."""

    uri: str
    address: str
    type: str
    deposed: str
    lineage: str | None
    serial: int | None


class DuplicateObject(Struct, frozen=True):
    """A real object that states of several lineages manage.

    `object` is its ARN, else its id, else its identity as JSON. `matched_by` is `identity`, `arn` or `id`. `region` and
    `account` are None if its states do not tell.
    """

    object: str
    matched_by: str
    region: str | None
    account: str | None
    places: Sequence[ManagedPlace]


class StateCopy(Struct, frozen=True):
    """One of several states with one lineage; the `newest` ones have the highest serial."""

    uri: str
    serial: int | None
    newest: bool
    n_objects: int
    sha256: str


class LineageCopies(Struct, frozen=True):
    """The states of one lineage; None for states without one, whose bytes are the same."""

    lineage: str | None
    states: Sequence[StateCopy]


class _DuplicateRow(Struct, array_like=True, frozen=True, gc=False):
    number: int
    object: str
    matched_by: str
    type: str
    region: str | None
    account: str | None
    uri: str
    address: str
    deposed: str
    lineage: str | None
    serial: int | None


class _CopyRow(Struct, array_like=True, frozen=True, gc=False):
    lineage: str | None
    uri: str
    serial: int | None
    newest: bool
    n_objects: int
    size: int | None
    sha256: str


def duplicate_objects(path: Path) -> list[DuplicateObject]:
    """Return the real objects that states of several lineages in an index manage. Raises FleetError."""
    rows = typed_query(path, saved_query("duplicates").sql, _DuplicateRow)
    return [_duplicate([*group]) for _, group in groupby(rows, attrgetter("number"))]


def state_copies(path: Path) -> list[LineageCopies]:
    """Return the lineages of which an index has several states. Raises FleetError."""
    rows = typed_query(path, saved_query("copies").sql, _CopyRow)
    return [
        LineageCopies(
            lineage,
            [
                StateCopy(uri=row.uri, serial=row.serial, newest=row.newest, n_objects=row.n_objects, sha256=row.sha256)
                for row in group
            ],
        )
        for (lineage, _), group in groupby(rows, lambda row: (row.lineage, row.lineage or row.sha256))
    ]


def _duplicate(rows: Sequence[_DuplicateRow]) -> DuplicateObject:
    # All places have one region and account, if they have any.
    return DuplicateObject(
        rows[0].object,
        rows[0].matched_by,
        next((row.region for row in rows if row.region is not None), None),
        next((row.account for row in rows if row.account is not None), None),
        [ManagedPlace(row.uri, row.address, row.type, row.deposed, row.lineage, row.serial) for row in rows],
    )
