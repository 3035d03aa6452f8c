"""The rules about plans: each finds what it is about, at its place in the plan, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.formats.raw_json.positions import finding_positions
from statefmt.formats.reading import inspect
from statefmt.lifecycle.read_plan import read_plan
from statefmt.lint.check import check_plan
from statefmt.lint.plan_subject import PlanSubject
from statefmt.lint.registry import all_rules
from statefmt.lint.settings import ProtectedTags, RuleSettings, load_settings
from statefmt.model.errors import SettingsError
from statefmt.model.findings import NO_FIX, Command, Finding
from tests.analysis.plans.documents import change, plan, prior, state
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row

_PLANS: Final = {name: files for name, files in recorded_plans().items() if "plan.json" in files}
_TAGGED: Final = RuleSettings(pln001=ProtectedTags(tags={"protected": "true", "env": "prod*"}))


def _check(
    given: bytes, before: bytes | None = None, *, settings: RuleSettings | None = None, select: str = "PLN"
) -> list[Finding]:
    snapshot = None if before is None else inspect(before).snapshot
    name = None if before is None else "before.tfstate"
    subject = PlanSubject(read_plan(given), snapshot, name, settings or RuleSettings())
    found = check_plan(subject, select=[select])
    # Every pointer leads somewhere.
    assert finding_positions(given, found).keys() >= {each.pointer for each in found}
    assert all(each.fix != NO_FIX and each.detail.endswith(".") for each in found)
    return found


def _at(pointer: str, document: Any) -> Any:
    for step in pointer.split("/")[1:]:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


@each_row("name", _PLANS)
def test_recorded_replacements(name: str) -> None:
    document = json.loads(_PLANS[name]["plan.json"])
    expected = [
        each["address"]
        for each in document.get("resource_changes", [])
        if set(each["change"]["actions"]) == {"create", "delete"}
    ]
    found = _check(_PLANS[name]["plan.json"], select="PLN002")
    assert sorted(each.address for each in found) == sorted(expected)
    for finding in found:
        there = _at(finding.pointer, document)
        assert there
        if finding.pointer.endswith("/replace_paths"):
            assert all(str(path[0]) in finding.detail for path in there)


@each_row("name", [name for name, files in _PLANS.items() if "before.tfstate" in files])
def test_a_recorded_plan_fits_the_state_before(name: str) -> None:
    files = _PLANS[name]
    assert _check(files["plan.json"], files["before.tfstate"], select="PLN004") == []
    assert _check(files["plan.json"], files["before.tfstate"], select="PLN005") == []


def test_a_stale_plan() -> None:
    files = _PLANS["108-replace-triggers"]
    (found,) = _check(files["plan.json"], files["after.tfstate"], select="PLN004")
    assert (found.address, found.pointer) == ("terraform_data.a", "/resource_changes/0/change/before")
    # The paths, without values.
    assert found.detail.endswith("the plan starts from: id, triggers_replace.")


def test_a_plan_of_another_state() -> None:
    given = plan(*(change(f"aws_vpc.a[{number}]", "no-op") for number in range(9)),
                 objects=tuple(prior(f"aws_vpc.a[{number}]") for number in range(9)))  # fmt: skip
    (found,) = _check(given, state(("aws_vpc.other", None)), select="PLN004")
    assert (found.address, found.pointer) == ("", "/prior_state")


def test_without_a_state_nothing_is_compared() -> None:
    assert _check(_PLANS["108-replace-triggers"]["plan.json"], select="PLN004") == []


@each_row(
    ("tags", "is_protected"),
    [
        ({"tags": {"protected": "true"}}, True),
        ({"tags": {"protected": True}}, True),
        ({"tags": {"protected": "false"}}, False),
        ({"tags_all": {"env": "production"}}, True),
        ({"labels": {"env": "test"}}, False),
        ({"tags": [{"key": "env", "value": "prod"}]}, True),
        ({"other": {"protected": "true"}}, False),
        ({"tags": None}, False),
        ({}, False),
    ],
)
@each_row("actions", [("delete",), ("delete", "create"), ("create", "delete"), ("forget",), ("update",)])
def test_protected_objects(tags: dict[str, Any], is_protected: bool, actions: tuple[str, ...]) -> None:
    given = plan(change("aws_vpc.a", *actions, change={"before": {"id": "vpc-1", **tags}}))
    found = _check(given, settings=_TAGGED, select="PLN001")
    assert len(found) == (is_protected and "delete" in actions)
    assert _check(given, select="PLN001") == []


@pytest.mark.parametrize(("value", "wanted"), [(None, "false"), (None, "*"), ({"a": 1}, "false")])
def test_tags_without_a_value(value: Any, wanted: str) -> None:
    settings = RuleSettings(pln001=ProtectedTags(tags={"protected": wanted}))
    given = change("aws_vpc.a", "delete", change={"before": {"tags": {"protected": value}}})
    assert _check(plan(given), settings=settings, select="PLN001") == []


def test_the_way_out_of_a_protected_object() -> None:
    moved = change("aws_vpc.b", "delete", previous_address="aws_vpc.a", change={"before": {"tags": {"env": "prod"}}})
    (found,) = _check(plan(moved), state(("aws_vpc.a", None)), settings=_TAGGED, select="PLN001")
    # The state has it at its old address.
    assert found.fix.commands == (Command("rm", ("aws_vpc.a", "--state", "before.tfstate")),)


def test_other_attributes_may_have_the_tags() -> None:
    files = _PLANS["009-replace-create-before-destroy"]
    before = json.loads(files["plan.json"])["resource_changes"][0]["change"]["before"]["triggers_replace"]
    settings = RuleSettings(
        pln001=ProtectedTags(tags=dict.fromkeys(before, "*"), attributes=("triggers_replace",))
    )  # fmt: skip
    assert len(_check(files["plan.json"], settings=settings, select="PLN001")) == 1


def test_drift() -> None:
    drift = [
        change("aws_vpc.a", "update", change={"before": {"tags": {"o": "x"}}, "after": {"tags": {"o": "y"}}}),
        change("aws_vpc.b", "delete"),
        change("aws_vpc.c", "no-op", previous_address="aws_vpc.d"),
    ]
    found = _check(plan(resource_drift=drift), select="PLN003")
    assert [(each.address, each.pointer) for each in found] == [
        ("aws_vpc.a", "/resource_drift/0/change/actions"), ("aws_vpc.b", "/resource_drift/1/change/actions")
    ]  # fmt: skip
    assert found[0].detail == "aws_vpc.a changed outside of OpenTofu at tags.o."
    assert found[1].detail == "aws_vpc.b was deleted outside of OpenTofu."


@pytest.mark.parametrize(
    ("version", "source", "expected"),
    [
        ("1.10.6", "registry.opentofu.org/hashicorp/aws", []),
        ("1.10.1", "registry.opentofu.org/hashicorp/aws", []),
        ("1.11.0", "registry.opentofu.org/hashicorp/aws", ["/terraform_version"]),
        ("1.9.0", "registry.opentofu.org/hashicorp/aws", ["/terraform_version"]),
        ("1.10.6", "registry.terraform.io/hashicorp/aws", ["/resource_changes/0/provider_name"]),
        ("1.10.6", "terraform.io/builtin/terraform", []),
    ],
)
def test_releases(version: str, source: str, expected: list[str]) -> None:
    given = plan(change("aws_vpc.a", "no-op", provider_name=source), terraform_version=version)
    assert [each.pointer for each in _check(given, state(("aws_vpc.a", None)), select="PLN005")] == expected


_ADDRESS: Final = {"to_display": "check.health"}
_DEFERRED: Final = [{"reason": "provider_config_unknown", "resource_change": change("aws_vpc.a", "create")}]
_ACTIONS: Final = [{"reason": "deferred_prereq", "action_invocation": {"address": "action.a.b"}}]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"errored": True}, [("PLN006", "error", "/errored")]),
        # An error is not reported twice.
        ({"errored": True, "complete": False}, [("PLN006", "error", "/errored")]),
        ({"errored": False, "complete": True}, []),
        ({"complete": False}, [("PLN007", "warning", "/complete")]),
        ({"deferred_changes": _DEFERRED}, [("PLN007", "warning", "/deferred_changes")]),
        ({"deferred_action_invocations": _ACTIONS}, [("PLN007", "warning", "/deferred_action_invocations")]),
        ({"deferred_changes": [], "complete": True}, []),
        ({"future_changes": [{}]}, [("PLN007", "warning", "/future_changes")]),
        ({"future_changes": {}, "future": None}, []),
        # Once for each kind, at its first place.
        (
            {"resource_drift": [change("aws_vpc.a", "no-op", novel=1), change("aws_vpc.b", "no-op", novel=1, new=2)]},
            [("PLN007", "warning", "/resource_drift/0/novel"), ("PLN007", "warning", "/resource_drift/1/new")],
        ),
        ({"checks": [{"address": _ADDRESS, "status": "pass", "why": "x"}]}, [("PLN007", "warning", "/checks/0/why")]),
        ({"checks": [{"address": _ADDRESS, "status": "fail"}]}, [("PLN008", "warning", "/checks")]),
        ({"checks": [{"address": _ADDRESS, "status": "unknown"}, {"address": _ADDRESS, "status": "pass"}]}, []),
    ],
)
def test_plans_that_are_not_whole(members: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    found = _check(plan(**members))
    assert [(each.code, each.severity.value, each.pointer) for each in found] == expected


def test_every_rule_has_its_severity() -> None:
    files = _PLANS["108-replace-triggers"]
    for finding in _check(files["plan.json"], files["after.tfstate"]):
        assert finding.severity is all_rules()[finding.code].severity


def test_settings(tmp_path: Path) -> None:
    path = tmp_path / "statetool.toml"
    path.write_text('[rules.PLN001]\ntags = { protected = "true" }\nattributes = ["meta"]\n', encoding="utf-8")
    assert load_settings(path).rules == RuleSettings(
        pln001=ProtectedTags(tags={"protected": "true"}, attributes=("meta",))
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[rules.PLN001]\ntags = 1\n", "rules.PLN001.tags: 1 is not of type 'object'"),
        ("[rules.PLN001]\ntags = { a = true }\n", "rules.PLN001.tags.a: True is not of type 'string'"),
        ("[rules.PLN001]\ntag = {}\n", "rules.PLN001: unknown key 'tag' (did you mean 'tags'?)"),
        ("[rules.PLN009]\n", "rules: unknown key 'PLN009' (did you mean 'PLN001'?)"),
    ],
)
def test_bad_settings(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "statetool.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert told in str(caught.value)
