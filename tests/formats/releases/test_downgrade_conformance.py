"""What OpenTofu 1.8.11, 1.9.4, 1.12.6 and 1.13 really lose of recorded states is what `losses` says."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt.formats.losses import Loss, losses
from statefmt.formats.releases import parse_release
from tests.tables import each_row

_DATA: Final = Path(__file__).parents[2] / "conformance" / "releases.jsonl.xz"
_CASES: Final[list[dict[str, Any]]] = [json.loads(line) for line in lzma.decompress(_DATA.read_bytes()).splitlines()]
_READ: Final = [case for case in _CASES if case["releases"]["1.13"]["exit"] == 0]
# A provider of its own on each instance, none with a key: statetool writes it at the resource level.
_KEYLESS: Final = {"rel/019-instance-level-unkeyed", "rel/020-instance-level-aliased"}

_RUNS: Final = [pytest.param(case, name, id=f"{case['id']}-{name}") for case in _READ for name in case["releases"]]


def _losses(case: dict[str, Any], name: str) -> tuple[Loss, ...]:
    return losses(statefmt.read(case["input"].encode()).snapshot, parse_release(name))


@each_row(("case", "name"), _RUNS)
def test_refused_exactly_where_something_is_lost(case: dict[str, Any], name: str) -> None:
    assert bool(_losses(case, name)) == _is_lost(case, name)


@each_row(("case", "name"), _RUNS)
def test_every_lost_object_is_named(case: dict[str, Any], name: str) -> None:
    record = case["releases"][name]
    named = {loss.at for loss in _losses(case, name) if loss.loses_object}
    if case["id"] in _KEYLESS or record["lost_resources"] is None:
        assert not named
    elif changed := _changed_objects(case, name):
        # One level of two is kept: what is written has the provider on each instance, and all of them are lost.
        assert changed <= named
    else:
        assert named == set(record["lost_resources"])


@each_row(("case", "name"), _RUNS)
def test_every_lost_member_is_named(case: dict[str, Any], name: str) -> None:
    found = _losses(case, name)
    objects = {loss.at for loss in found if loss.loses_object}
    named = {(loss.at, loss.field) for loss in found if loss.only_informs or loss.cause.name == "UNKNOWN"}
    recorded = {(lost["at"], lost["field"]) for lost in case["releases"][name]["lost_fields"] or ()}
    # The members of an object that is lost as a whole are not recorded one by one.
    if case["releases"][name]["exit"] == 0:
        assert {lost for lost in named if lost[0] not in objects} == recorded


def test_a_release_that_refuses_a_state_is_told_of() -> None:
    refused = {(case["id"], name) for case in _READ for name, record in case["releases"].items() if record["exit"] != 0}
    assert refused == {("rel/087-ephemeral-dependency", "1.8"), ("rel/087-ephemeral-dependency", "1.9")}
    for name in ("1.8", "1.9"):
        case = next(case for case in _READ if case["id"] == "rel/087-ephemeral-dependency")
        assert [(loss.at, loss.field) for loss in _losses(case, name)] == [("aws_instance.web", "dependencies")]


def test_all_is_there() -> None:
    assert (len(_CASES), len(_READ), len(_RUNS)) == (64, 52, 208)
    assert {case["id"] for case in _READ} >= _KEYLESS


def _is_lost(case: dict[str, Any], name: str) -> bool:
    """Whether the record shows a loss: not what every release changes alike, and not a keyless provider."""
    record = case["releases"][name]
    if record["exit"] != 0:
        return True
    lost = bool(record["lost_resources"] or record["lost_fields"] or _changed_objects(case, name))
    return lost and case["id"] not in _KEYLESS


def _changed_objects(case: dict[str, Any], name: str) -> set[str]:
    """Where this release changes a value that 1.13 does not change so."""
    releases = case["releases"]
    everywhere = releases["1.13"]["changed_fields"] or ()
    return {change["at"] for change in releases[name]["changed_fields"] or () if change not in everywhere}
