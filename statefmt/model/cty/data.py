"""Defines cty values, and their untyped data, which is meaningful only with a type."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from statefmt.model.cty.number import Number
from statefmt.model.cty.types import Type


class Bound(Struct, frozen=True):
    """One end of the range of an unknown number."""

    number: Number
    inclusive: bool = True


class Refinements(Struct, frozen=True):
    """What is known of an unknown value. Lengths are those of a collection. Source: go-cty `unknown_refinement.go`."""

    not_null: bool = False
    prefix: str = ""
    low: Bound | None = None
    high: Bound | None = None
    min_length: int = 0
    max_length: int | None = None


NOTHING_KNOWN = Refinements()


class UnknownData(Struct, frozen=True):
    """The data of an unknown value."""

    refinements: Refinements = NOTHING_KNOWN


class MarkedData(Struct, frozen=True):
    """Data with marks, such as `sensitive`. `marks` is not empty, and `data` not itself MarkedData.

    As in go-cty, elements of sets have no marks of their own: they belong to the set.
    """

    marks: frozenset[str]
    data: Data


# Null is None; lists, sets and tuples are tuples; maps and objects are dicts.
# Only the lifecycle of resource instances has unknown and marked data: what is read from JSON has neither.
Data: TypeAlias = "bool | str | Number | tuple[Data, ...] | dict[str, Data] | UnknownData | MarkedData | None"


class CtyValue(Struct, frozen=True):
    """A cty value: its own type and its data.

    `data` is None (null), bool, str, Number, a tuple (list, set, tuple) or a dict (map, object), each part possibly
    UnknownData or MarkedData. A value read as DYNAMIC has the type stored with it; DYNAMIC remains only for nulls,
    unknown values and empty collections.
    """

    type: Type
    data: Data


def has_unknown(data: Data) -> bool:
    """Return whether any part of `data` is unknown."""
    if isinstance(data, MarkedData):
        return has_unknown(data.data)
    if isinstance(data, tuple):
        return any(map(has_unknown, data))
    if isinstance(data, dict):
        return any(map(has_unknown, data.values()))
    return isinstance(data, UnknownData)
