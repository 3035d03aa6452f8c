"""Defines paths into values."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from statefmt.model.cty.data import CtyValue


class GetAttr(Struct, frozen=True):
    """A step to the attribute `name` of an object."""

    name: str


class PathIndex(Struct, frozen=True):
    """A step to an element.

    `key` is a str (map), an int (list, tuple), or a CtyValue for anything else that OpenTofu accepts: fractions,
    bools, nulls, and the compound values that are "keys" of set elements.
    """

    key: str | int | CtyValue


PathStep: TypeAlias = GetAttr | PathIndex
Path: TypeAlias = tuple[PathStep, ...]
