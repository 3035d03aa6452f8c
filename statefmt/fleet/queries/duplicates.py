"""Finds real objects that states of several lineages manage, and copies of states, with the saved queries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from msgspec import Struct

from statefmt.fleet.queries.run import query
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


def duplicate_objects(path: Path) -> list[DuplicateObject]:
    """Return the real objects that states of several lineages in an index manage. Raises FleetError."""
    rows = query(path, saved_query("duplicates").sql).rows
    return [_duplicate([*group]) for _, group in groupby(rows, itemgetter(0))]


def state_copies(path: Path) -> list[LineageCopies]:
    """Return the lineages of which an index has several states. Raises FleetError."""
    rows = query(path, saved_query("copies").sql).rows
    return [
        LineageCopies(
            lineage, [StateCopy(uri, serial, newest, n, sha256) for _, uri, serial, newest, n, _, sha256 in group]
        )
        for (lineage, _), group in groupby(rows, lambda row: (row[0], row[0] or row[-1]))
    ]


def _duplicate(rows: Sequence[Sequence[Any]]) -> DuplicateObject:
    # All places have one region and account, if they have any.
    region, account = (next((row[place] for row in rows if row[place] is not None), None) for place in (4, 5))
    return DuplicateObject(
        rows[0][1],
        rows[0][2],
        region,
        account,
        [ManagedPlace(row[6], row[7], row[3], row[8], row[9], row[10]) for row in rows],
    )
