"""Planned values that the contract allows have no findings, and all others have one, at their place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.configuration import Configuration
from statefmt.model.findings import Finding
from tests.lifecycle.planned.plans import clean_plans, planned_findings, written
from tests.lifecycle.planned.violations import FILES, OBJECTS, SCHEMAS, Violation, allowed, valid_plan, violations
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row

_RECORDED: Final = sorted(name for name, files in recorded_plans().items() if "plan.json" in files)


@cache
def _configuration(folder: Path) -> Configuration:
    return written(folder, {**FILES, "plan.json": json.dumps(valid_plan()).encode()})


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Configuration:
    return written(tmp_path_factory.mktemp("plan"), {**FILES, "plan.json": json.dumps(valid_plan()).encode()})


def _mutated(address: str, violation: Violation) -> tuple[dict[str, Any], str]:
    """Return a plan with a violation in one object, and the pointer to its planned values."""
    plan = valid_plan()
    at = list(OBJECTS).index(address)
    violation.apply(plan["resource_changes"][at]["change"])
    return plan, f"/resource_changes/{at}/change/after"


def _found(plan: Mapping[str, Any], configuration: Configuration) -> tuple[Finding, ...]:
    return planned_findings(json.dumps(plan).encode(), configuration, SCHEMAS)


@each_row("address", list(OBJECTS), sample=6)
@each_row("violation", list(violations()), sample=60)
def test_violations(address: str, violation: Violation, configuration: Configuration) -> None:
    plan, pointer = _mutated(address, violation)
    found = _found(plan, configuration)
    place = "".join(f"/{step}" for step in violation.place)
    assert [(each.code, each.address, each.pointer) for each in found] == [("LIF021", address, pointer + place)]
    assert "s3cr3t" not in found[0].detail and "leak" not in found[0].detail


def test_there_are_enough_violations() -> None:
    assert len(list(violations())) * len(OBJECTS) >= 400


@each_row("address", [address for address in OBJECTS if address != "shop_item.same"])
@each_row("violation", list(allowed()))
def test_computed_values(address: str, violation: Violation, configuration: Configuration) -> None:
    assert _found(_mutated(address, violation)[0], configuration) == ()


@each_row("violation", list(allowed()))
def test_an_object_without_a_change_keeps_computed_values(violation: Violation, configuration: Configuration) -> None:
    plan, pointer = _mutated("shop_item.same", violation)
    (found,) = _found(plan, configuration)
    assert (found.code, found.pointer.startswith(f"{pointer}/{violation.path[0]}")) == ("LIF021", True)


def test_a_valid_plan(configuration: Configuration) -> None:
    assert _found(valid_plan(), configuration) == ()


@each_row("name", sorted(clean_plans()), sample=40)
def test_real_plans(name: str, tmp_path: Path) -> None:
    files = clean_plans()[name]
    assert planned_findings(files["plan.json"], written(tmp_path, files)) == ()


@each_row("name", _RECORDED)
def test_recorded_plans(name: str, tmp_path: Path) -> None:
    files = recorded_plans()[name]
    assert planned_findings(files["plan.json"], written(tmp_path, files), files["schemas.json"]) == ()


def test_there_are_enough_real_plans() -> None:
    assert len(clean_plans()) + len(_RECORDED) >= 300
