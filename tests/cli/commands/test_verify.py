"""`statetool verify`: exit statuses, formats, and what it says about a partly failed apply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from tests.cli.conftest import Program, Statetool
from tests.lifecycle.plans import recorded_plans


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _unpack(name: str) -> None:
    for file, content in recorded_plans()[name].items():
        if "/" not in file:
            Path(file).write_bytes(content)


def _change(file: str, **members: Any) -> None:
    """Change the attributes of the first object of a state."""
    document = json.loads(Path(file).read_bytes())
    document["resources"][0]["instances"][0]["attributes"].update(members)
    Path(file).write_text(json.dumps(document, indent=2))


_FILES = ("plan.json", "--before", "before.tfstate", "--after", "after.tfstate")


def test_clean(statetool: Statetool) -> None:
    _unpack("044-deposed")
    result = statetool("verify", *_FILES)
    assert (result.status, result.text) == (0, "2 states checked: no findings\n")


def test_without_a_state_before(statetool: Statetool) -> None:
    _unpack("001-create")
    assert statetool("verify", "plan.json", "--after", "after.tfstate").status == 0


def test_findings(statetool: Statetool) -> None:
    _unpack("013-destroy-not-in-config")
    _change("after.tfstate", id="mutated")
    result = statetool("verify", *_FILES)
    assert result.status == 1
    assert "LIF011 terraform_data.a" in result.text
    assert "after.tfstate:17:13" in result.text
    assert 'but "mutated"' in result.text


def test_fail_on(statetool: Statetool) -> None:
    _unpack("044-deposed")
    assert statetool("verify", *_FILES, "--fail-on", "info").status == 0


def test_a_partly_failed_apply(statetool: Statetool) -> None:
    _unpack("015-destroy-count-shrinks")
    before, after = (json.loads(Path(file).read_bytes()) for file in ("before.tfstate", "after.tfstate"))
    after["resources"][0]["instances"].append(before["resources"][0]["instances"][1])
    Path("after.tfstate").write_text(json.dumps(after))
    result = statetool("verify", *_FILES)
    assert result.status == 1
    assert "LIF003 terraform_data.a[1]" in result.text
    assert "1 of 2 planned changes not made" in result.err


def test_formats(statetool: Statetool) -> None:
    _unpack("008-replace-triggers")
    files = ("plan.json", "--before", "before.tfstate", "--after", "before.tfstate")
    (_, after) = json.loads(statetool("verify", *files, "--format", "json").out)["files"]
    assert [finding["code"] for finding in after["findings"]] == ["LIF001"]
    sarif = json.loads(statetool("verify", *files, "--format", "sarif").out)
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["LIF001"]
    assert "LIF001" in {rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
    junit = fromstring(statetool("verify", *files, "--format", "junit").out)
    assert junit.get("failures") == "1"
    assert statetool("verify", *files, "--format", "github").text.startswith("::error file=before.tfstate")
    assert "LIF001" in statetool("verify", *files, "--format", "concise").text


def test_sensitive_values(statetool: Statetool) -> None:
    _unpack("029-sensitive-input")
    document = json.loads(Path("after.tfstate").read_bytes())
    document["resources"][0]["instances"][0]["attributes"]["input"]["value"]["secret"] = "new-hidden"
    Path("after.tfstate").write_text(json.dumps(document))
    files = ("plan.json", "--after", "after.tfstate")
    for output_format in ("text", "json", "sarif", "junit", "github", "concise"):
        result = statetool("verify", *files, "--format", output_format)
        assert result.status == 1
        assert "hush" not in result.text
        assert "new-hidden" not in result.text
    shown = statetool("verify", *files, "--show-sensitive").text
    assert 'planned "hush", but "new-hidden"' in shown


def test_standard_input(program: Program) -> None:
    _unpack("044-deposed")
    plan = Path("plan.json").read_bytes()
    result = program("verify", "-", "--before", "before.tfstate", "--after", "after.tfstate", stdin=plan)
    assert result.status == 0
    assert program("verify", "-", "--after", "-", stdin=plan).status == 2


@pytest.mark.parametrize(
    ("plan", "reason"),
    [("after.tfstate", "this is a state, not a plan"), ("main.tf", "not JSON"), ("missing.json", "missing.json")],
)
def test_not_a_plan(statetool: Statetool, plan: str, reason: str) -> None:
    _unpack("044-deposed")
    result = statetool("verify", plan, "--after", "after.tfstate")
    assert (result.status, result.out) == (2, b"")
    assert reason in result.err


def test_not_a_state(statetool: Statetool) -> None:
    _unpack("044-deposed")
    result = statetool("verify", "plan.json", "--after", "plan.json")
    assert (result.status, result.out) == (2, b"")


def test_an_incomplete_plan(statetool: Statetool) -> None:
    _unpack("053-prevent-destroy")
    result = statetool("verify", "plan.json", "--before", "before.tfstate", "--after", "before.tfstate")
    assert result.status == 1
    assert result.err.startswith(
        "statetool: plan.json: planning failed: this plan is not complete and cannot be applied"
    )
