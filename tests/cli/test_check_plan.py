"""`statetool check --plan`: the plan beside the state, in every format, and which state it is compared with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from statefmt.schema_problems import schema_text
from tests.analysis.plans.documents import plan
from tests.cli.conftest import Program, Statetool
from tests.lifecycle.plans import recorded_plans

_FILES: Final = recorded_plans()["108-replace-triggers"]


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for name in ("plan.json", "before.tfstate", "after.tfstate"):
        (folder / name).write_bytes(_FILES[name])


@pytest.mark.parametrize(
    ("arguments", "status", "codes"),
    [
        (("before.tfstate",), 0, ["PLN002"]),
        (("before.tfstate", "--fail-on", "warning"), 1, ["PLN002"]),
        (("after.tfstate",), 1, ["PLN002", "PLN004"]),
        (("after.tfstate", "--ignore", "PLN004"), 0, ["PLN002"]),
        (("--state", "after.tfstate", "--select", "PLN004"), 1, ["PLN004"]),
        (("--no-state",), 0, ["PLN002"]),
    ],
)
def test_findings(statetool: Statetool, arguments: tuple[str, ...], status: int, codes: list[str]) -> None:
    result = statetool("check", "--plan", "plan.json", "--format", "json", *arguments)
    assert result.status == status
    document: dict[str, Any] = json.loads(result.out)
    jsonschema.validate(document, json.loads(schema_text("check-output")))
    first = document["files"][0]
    assert first["path"] == "plan.json"
    assert [each["code"] for each in first["findings"]] == codes
    lines = _FILES["plan.json"].decode().splitlines()
    for each in first["findings"]:
        wanted = '"replace_paths"' if each["code"] == "PLN002" else '"before"'
        assert wanted in lines[each["line"] - 1]


@pytest.mark.parametrize("output_format", ["text", "concise", "sarif", "junit", "github"])
def test_formats(statetool: Statetool, output_format: str) -> None:
    result = statetool("check", "--plan", "plan.json", "after.tfstate", "--format", output_format)
    assert result.status == 1
    assert "PLN004" in result.text
    assert "plan.json" in result.text


def test_the_summary_counts_the_plan(statetool: Statetool) -> None:
    text = statetool("check", "--plan", "plan.json", "before.tfstate").text
    assert "\n1 state and 1 plan checked: 1 warning" in text


def test_settings_protect_objects(statetool: Statetool) -> None:
    Path("statetool.toml").write_text(
        '[rules.PLN001]\ntags = { v = "*" }\nattributes = ["triggers_replace"]\n', encoding="utf-8"
    )
    Path("plan.json").write_bytes(recorded_plans()["109-replace-create-before-destroy"]["plan.json"])
    result = statetool("check", "--plan", "plan.json", "--no-state", "--format", "concise")
    assert result.status == 1
    assert "PLN001 terraform_data.a" in result.text


def test_a_baseline_has_findings_about_plans(statetool: Statetool) -> None:
    arguments = ("check", "--plan", "plan.json", "after.tfstate")
    assert statetool(*arguments, "--write-baseline", "known.json").status == 0
    result = statetool(*arguments, "--baseline", "known.json")
    assert result.status == 0
    assert "checked: no findings; 3 hidden" in result.text


def test_the_state_of_this_directory(statetool: Statetool) -> None:
    result = statetool("check", "--plan", "plan.json")
    assert result.status == 2
    assert "there is no terraform.tfstate to compare the plan with" in result.err
    assert "--no-state" in result.err
    Path("before.tfstate").rename("terraform.tfstate")
    assert statetool("check", "--plan", "plan.json").status == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("before.tfstate", "after.tfstate"), "a plan is compared with one state, but 2 are named"),
        (("before.tfstate", "--no-state"), "requires --config or --plan, and cannot be combined with states"),
        (("missing",), "missing: there is no such file"),
    ],
)
def test_wrong_usage(statetool: Statetool, arguments: tuple[str, ...], told: str) -> None:
    result = statetool("check", "--plan", "plan.json", *arguments)
    assert result.status == 2
    assert told in result.err


def test_standard_input(program: Program) -> None:
    """The state is read once, and checked and compared with the plan."""
    result = program("check", "--plan", "plan.json", "-", "--format", "concise", stdin=_FILES["after.tfstate"])
    assert result.status == 1
    assert "PLN004" in result.text
    result = program("check", "--plan", "-", "before.tfstate", "--format", "concise", stdin=_FILES["plan.json"])
    assert result.status == 0
    assert result.text.startswith("<standard input>:")


def test_a_broken_state_is_reported_once(statetool: Statetool) -> None:
    Path("broken").write_bytes(b'{"version": 4, "resources": 1}')
    result = statetool("check", "--plan", "plan.json", "broken", "--format", "json")
    plan_file, state_file = json.loads(result.out)["files"]
    assert [each["code"] for each in plan_file["findings"]] == ["PLN002"]
    assert state_file["findings"]


@pytest.mark.parametrize("state", ["missing.tfstate", "encrypted.tfstate"])
def test_the_plan_is_checked_without_a_readable_state(statetool: Statetool, state: str) -> None:
    """The state is the failure, and the findings about the plan are still reported."""
    envelope = {"serial": 1, "lineage": "l", "meta": {}, "encrypted_data": "AA==", "encryption_version": "v0"}
    Path("encrypted.tfstate").write_text(json.dumps(envelope), encoding="utf-8")
    Path("plan.json").write_bytes(plan(errored=True))
    result = statetool("check", "--plan", "plan.json", state, "--format", "json")
    assert result.status == 2
    assert state in f"{result.err}{result.text}"
    assert [each["code"] for each in json.loads(result.out)["files"][0]["findings"]] == ["PLN006"]


def test_a_failed_plan_fails(statetool: Statetool) -> None:
    Path("plan.json").write_bytes(plan(errored=True))
    assert statetool("check", "--plan", "plan.json", "--no-state").status == 1


def test_an_incomplete_plan_is_reported(statetool: Statetool) -> None:
    Path("plan.json").write_bytes(plan(complete=False))
    result = statetool("check", "--plan", "plan.json", "--no-state")
    assert "Plan is not complete" in result.text
    assert statetool("check", "--plan", "plan.json", "--no-state", "--fail-on", "warning").status == 1


def test_the_variables_of_the_plan_count_for_the_configuration(statetool: Statetool) -> None:
    """By its default, the variable leaves out the key that an object in the state needs."""
    trap = Path(__file__).parents[1] / "configurations" / "element-removed-from-both-root"
    arguments = ("check", "--config", str(trap), str(trap / "terraform.tfstate"), "--select", "CFS002")
    assert statetool(*arguments).status == 1
    regions = {"regions": {"value": ["eu-west-1", "us-east-1"]}}
    Path("plan.json").write_bytes(plan(variables=regions))
    assert statetool(*arguments, "--plan", "plan.json").status == 0
    Path("plan.json").write_bytes(plan(variables={"regions": {"value": ["eu-west-1"]}}))
    assert statetool(*arguments, "--plan", "plan.json").status == 1
    # Options come last.
    variable = ("--var", 'regions=["eu-west-1", "us-east-1"]')
    assert statetool(*arguments, "--plan", "plan.json", *variable).status == 0


def test_planned_values_are_compared_with_the_configuration(statetool: Statetool) -> None:
    Path("main.tf").write_bytes(_FILES["main.tf"])
    arguments = (
        "check",
        "--plan",
        "plan.json",
        "--config",
        ".",
        "--no-state",
        "--select",
        "LIF",
        "--format",
        "concise",
    )
    assert statetool(*arguments).status == 0
    document = json.loads(_FILES["plan.json"])
    document["resource_changes"][0]["change"]["after"]["triggers_replace"] = "neither"
    Path("plan.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    result = statetool(*arguments)
    assert result.status == 1
    assert "LIF021 terraform_data.a Provider produced invalid plan: triggers_replace: planned value" in result.text
    # Without the configuration nothing is known of the values.
    assert statetool("check", "--plan", "plan.json", "--no-state", "--select", "LIF").status == 0
