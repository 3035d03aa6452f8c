"""Answers from_flatmap and to_flatmap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from statefmt.lifecycle.stored import FlatmapError
from tests.lifecycle.opentofu.flatmaps import from_flatmap, to_flatmap
from tests.lifecycle.values import decode, encode, type_of


def _from_flatmap(case: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"result": encode(from_flatmap(case["flatmap"], type_of(case["type"])))}
    except FlatmapError as error:
        return {"error": str(error)}


def _to_flatmap(case: dict[str, Any]) -> dict[str, Any]:
    value = decode(case["value"])
    try:
        return {"flatmap": None if value is None else to_flatmap(value)}
    except FlatmapError as error:
        # OpenTofu crashes.
        return {"error": str(error)}


ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "from_flatmap": _from_flatmap,
    "to_flatmap": _to_flatmap,
}
