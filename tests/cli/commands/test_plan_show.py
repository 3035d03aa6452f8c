"""`statetool plan-show`: what comes first, wrong files, secrets, and hostile text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from statefmt.schema_problems import schema_text
from tests.analysis.plans.documents import AWS, BY_REGION, change, plan, prior, state
from tests.cli.conftest import Program, Statetool
from tests.lifecycle.plans import recorded_plans

_MAIN: Final = """
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
variable "regions" {
  type    = set(string)
  default = ["eu"]
}
provider "aws" {
  alias    = "by_region"
  for_each = var.regions
  region   = each.key
}
resource "aws_vpc" "main" {
  for_each = toset(["eu", "asia"])
  provider = aws.by_region[each.key == "asia" ? "eu" : each.key]
}
"""
_BEFORE: Final = state(('aws_vpc.main["eu"]', "eu"), ('aws_vpc.main["us"]', "us"), ('aws_vpc.main["asia"]', "us"))
_PLAN: Final = plan(
    change('aws_vpc.main["asia"]', "update", change={"after": {"id": "vpc-2"}}),
    change('aws_vpc.main["eu"]', "no-op"),
    change('aws_vpc.main["us"]', "delete", action_reason="delete_because_each_key"),
    output_changes={"o": {"actions": ["update"], "before": "x", "after": "y"}},
)


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "main.tf").write_text(_MAIN, encoding="utf-8")
    (folder / "plan.json").write_bytes(_PLAN)
    (folder / "before.tfstate").write_bytes(_BEFORE)


def test_what_needs_attention_comes_first(statetool: Statetool) -> None:
    result = statetool("plan-show", "plan.json", "--config", ".", "--state", "before.tfstate")
    assert (result.status, result.err) == (1, "")
    assert (
        result.text
        == f"""\
Provider instance missing:
  - aws_vpc.main["us"] (the configuration has no {BY_REGION}["us"])
  → OpenTofu stops with an error. Put the provider block or its for_each key back until one apply has destroyed the \
objects; `statetool check --config DIR STATE` shows the block to paste, and other ways out.

Provider instance changes:
  ~ aws_vpc.main["asia"]
        {BY_REGION}["us"]
      → {BY_REGION}["eu"]

Removed:
  - aws_vpc.main["us"] (destroyed because key ["us"] is not in for_each)

{BY_REGION}["eu"]:
  ~ aws_vpc.main["asia"]
      ~ id: "vpc-1" → "vpc-2"

{BY_REGION}["us"]:
  - aws_vpc.main["us"] (destroyed because key ["us"] is not in for_each)

Outputs:
  ~ o
        "x"
      → "y"

Plan: 0 to add, 1 to change, 1 to destroy; 1 output to change.
"""
    )


def test_the_trap_is_gone_with_the_key_back(statetool: Statetool) -> None:
    variable = ("--var", 'regions=["eu", "us"]')
    result = statetool("plan-show", "plan.json", "--config", ".", "--state", "before.tfstate", *variable)
    assert result.status == 0
    assert "Provider instance missing" not in result.text


def test_json(statetool: Statetool) -> None:
    result = statetool("plan-show", "plan.json", "--config", ".", "--format", "json")
    assert result.status == 0
    changes = json.loads(result.out)["resource_changes"]
    assert [each["provider_instance"] for each in changes] == [f'{BY_REGION}["eu"]', f'{BY_REGION}["eu"]', None]
    assert changes[2]["provider_instance_reason"].endswith("name the state with --state")


def test_markdown(statetool: Statetool) -> None:
    result = statetool("plan-show", "plan.json", "--config", ".", "--state", "before.tfstate", "--format", "markdown")
    assert result.status == 1
    lines = result.text.splitlines()
    assert lines[:5] == ["### Plan", "", "<code>plan&#46;json</code>", "",
                         "**0 to add, 1 to change, 1 to destroy&#59; 1 output to change**"]  # fmt: skip
    assert lines.index("**Provider instance missing (1 entry)**") < lines.index(
        "**Provider instance changes (1 entry)**"
    )
    assert '- aws_vpc.main["us"] (destroyed because key ["us"] is not in for_each)' in lines


@pytest.mark.parametrize("output_format", ["text", "markdown", "json"])
def test_secrets_are_hidden(statetool: Statetool, output_format: str) -> None:
    update = {"before": {"p": "hush-1"}, "after": {"p": "hush-2"}, "before_sensitive": {"p": True, "id": True}}
    update |= {"importing": {"id": "hush-5"}}
    Path("plan.json").write_bytes(
        plan(
            change('aws_vpc.main["eu"]', "update", change=update),
            output_changes={
                "o": {"actions": ["update"], "before": "hush-3", "after": "hush-4", "before_sensitive": True}
                | {"after_sensitive": True}
            },
        )
    )
    arguments = ("plan-show", "plan.json", "--config", ".", "--format", output_format)
    hidden = statetool(*arguments).text
    assert "hush" not in hidden
    assert "(sensitive value)" in hidden
    shown = statetool(*arguments, "--show-sensitive").text
    assert all(f"hush-{number}" in shown for number in range(1, 6))


def test_hostile_text(statetool: Statetool) -> None:
    key = "\x1b[2J`]()<b>@all\u202e"
    quoted = json.dumps(key, ensure_ascii=False).replace("\\u001b", "\\u001b")
    hostile = change(f"aws_vpc.main[{quoted}]", "delete", index=key, action_reason="\x1b[31m```")
    Path("plan.json").write_bytes(plan(hostile))
    for output_format in ("text", "markdown"):
        text = statetool("plan-show", "plan.json", "--config", ".", "--format", output_format).text
        assert not {"\x1b", "\u202e"} & set(text)
    fence = next(line for line in text.splitlines() if line.endswith("diff"))
    assert fence == "````diff"


_TERRAFORM: Final = recorded_plans()["001-create"]
_WRONG: Final = [
    (b"", "the file is empty"),
    (b"PK\x03\x04abc", "the plan file is damaged: File is not a zip file"),
    (_TERRAFORM["after.tfstate"], "this is a state, not a plan"),
    (_TERRAFORM["after.show.json"], "this is the output of show -json for a state"),
    (_TERRAFORM["schemas.json"], "this is the output of providers schema -json"),
    (b'{"format_version": "2.0", "planned_values": {}}', "the plan has format version 2.0"),
]


@pytest.mark.parametrize(("content", "told"), _WRONG, ids=[told for _, told in _WRONG])
@pytest.mark.parametrize("command", [("plan-show",), ("check", "before.tfstate", "--plan")], ids=" ".join)
def test_wrong_files(statetool: Statetool, command: tuple[str, ...], content: bytes, told: str) -> None:
    Path("wrong").write_bytes(content)
    result = statetool(*command, "wrong", *(("--config", ".") if command == ("plan-show",) else ()))
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith(f"statetool: wrong: {told}")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("plan.json",), "Missing option '--config': the directory of the configuration."),
        (("missing", "--config", "."), "statetool: missing: there is no such file"),
        (("plan.json", "--config", "missing"), "statetool: missing: not a directory"),
        (("-", "--config", ".", "--state", "-"), "only one of the plan and the state can come from standard input"),
        (("plan.json", "--config", ".", "--state", "plan.json"), "statetool: plan.json: this state cannot be used"),
    ],
)
def test_wrong_usage(statetool: Statetool, arguments: tuple[str, ...], told: str) -> None:
    result = statetool("plan-show", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert told in result.err


def test_a_plan_of_another_configuration(statetool: Statetool) -> None:
    Path("plan.json").write_bytes(_TERRAFORM["plan.json"])
    result = statetool("plan-show", "plan.json", "--config", ".")
    assert result.status == 0
    assert "Provider instance not known:" in result.text
    assert "the plan was made from another configuration" in result.text


def test_a_broken_configuration_is_said(statetool: Statetool) -> None:
    Path("main.tf").write_text("provider {", encoding="utf-8")
    result = statetool("plan-show", "plan.json", "--config", ".")
    assert result.status == 1
    assert "main.tf" in result.err


def test_standard_input_and_a_closed_pipe(program: Program) -> None:
    result = program.in_shell("cat plan.json | statetool plan-show - --config . --format json | head -c 20")
    assert (result.status, result.err) == (0, "")
    assert result.out == _PLAN[:20]


_TRIGGER: Final = {"triggering_resource_address": "aws_vpc.a", "action_trigger_event": "AfterCreate"}
_ACTION: Final = {"address": "action.aws_lambda_invoke.warm", "lifecycle_action_trigger": _TRIGGER}


def _checks(status: str) -> list[dict[str, Any]]:
    address = {"kind": "check", "name": "health", "to_display": "check.health"}
    return [{"address": address, "status": status, "instances": [{"address": address, "status": status}]}]


_DEFERRED: Final = {"reason": "provider_config_unknown", "resource_change": change("aws_vpc.a", "create")}
_INCOMPLETE: Final = "This plan is not complete: after applying it, another one is needed.\n"
_NOTHING: Final = "Plan: 0 to add, 0 to change, 0 to destroy"
_OUTPUT: Final = {"actions": ["create"], "before": None, "after": "y"}


@pytest.mark.parametrize(
    ("given", "first", "last"),
    [
        (plan(errored=True), "Planning failed: this plan is not complete and cannot be applied.\n", f"{_NOTHING}."),
        (plan(complete=False), _INCOMPLETE, f"{_NOTHING}."),
        (plan(deferred_changes=[_DEFERRED], complete=False), _INCOMPLETE, f"{_NOTHING}; 1 change deferred."),
        (plan(deferred_changes=[_DEFERRED]), _INCOMPLETE, f"{_NOTHING}; 1 change deferred."),
        (plan(action_invocations=[_ACTION]), "Actions:\n", f"{_NOTHING}; 1 action to invoke."),
        (plan(deferred_action_invocations=[{"reason": "deferred_prereq", "action_invocation": _ACTION}]),
         _INCOMPLETE, f"{_NOTHING}; 1 change deferred."),
        (plan(change("aws_vpc.b", "no-op", previous_address="aws_vpc.a")), "", f"{_NOTHING}, 1 to move."),
        (plan(resource_drift=[change("aws_vpc.b", "no-op", previous_address="aws_vpc.a")]),
         "Changed outside of OpenTofu:\n", f"{_NOTHING}; 1 object moved."),
        (plan(change("aws_vpc.b", "no-op", change={"importing": {"id": "vpc-1"}})), "",
         "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy."),
        (plan(resource_drift=[change("aws_vpc.b", "delete")]), "Changed outside of OpenTofu:\n",
         f"{_NOTHING}; 1 object changed outside."),
        (plan(output_changes={"o": _OUTPUT}), "Outputs:\n", f"{_NOTHING}; 1 output to change."),
        (plan(change("data.aws_vpc.a", "delete")), "", f"{_NOTHING}."),
        (plan(change("aws_vpc.a", "forget")), "Removed:\n", f"{_NOTHING}, 1 to forget."),
        (plan(change("data.aws_vpc.a", "read")), "", f"{_NOTHING}, 1 to read."),
        (plan(checks=_checks("fail")), "Checks that do not pass:\n", f"{_NOTHING}; 1 check failed."),
        (plan(checks=_checks("error")), "Checks that do not pass:\n", f"{_NOTHING}; 1 check failed."),
        (plan(checks=_checks("unknown")), "Checks that do not pass:\n",
         f"{_NOTHING}; 1 check not known before the apply."),
        (plan(applyable=True), "", f"{_NOTHING}."),
        (plan(stack_changes=[{"x": 1}]),
         "This plan has members that this version does not know, and does not show: /stack_changes.\n", f"{_NOTHING}."),
        (plan(change("aws_vpc.a", "no-op", change={"x": 1})),
         "This plan has members that this version does not know, and does not show: /resource_changes/0/change/x.\n",
         f"{_NOTHING}."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("output_format", ["text", "markdown"])
def test_no_changes_is_not_said(statetool: Statetool, given: bytes, first: str, last: str, output_format: str) -> None:
    Path("plan.json").write_bytes(given)
    text = statetool("plan-show", "plan.json", "--config", ".", "--format", output_format).text
    assert "No changes" not in text
    if output_format == "text":
        assert text.startswith(first)
        assert text.endswith(f"{last}\n")


@pytest.mark.parametrize(
    "given",
    [
        plan(),
        plan(change("aws_vpc.a", "no-op")),
        plan(output_changes={"o": {"actions": ["no-op"], "before": "y", "after": "y"}}),
        plan(resource_drift=[change("aws_vpc.a", "no-op")]),
        plan(checks=_checks("pass"), applyable=False, complete=True, errored=False, action_invocations=[]),
        plan(stack_changes=[]),
    ],
)
def test_no_changes(statetool: Statetool, given: bytes) -> None:
    Path("plan.json").write_bytes(given)
    assert statetool("plan-show", "plan.json", "--config", ".").text == "No changes.\n"
    markdown = statetool("plan-show", "plan.json", "--config", ".", "--format", "markdown").text
    assert markdown.endswith("\n\n**No changes**\n\n")


def test_ephemeral_resources_change_nothing(statetool: Statetool) -> None:
    """OpenTofu 1.11 lists them with an action of their own, which Changes.Empty() ignores."""
    opened = {**change("aws_vpc.a", "open", mode="ephemeral"), "address": "ephemeral.aws_vpc.a"}
    Path("plan.json").write_bytes(plan(opened))
    text = statetool("plan-show", "plan.json", "--config", ".").text
    assert "  <= ephemeral.aws_vpc.a (opened during apply, and not stored; no block declares it" in text
    assert text.endswith("\n\nNo changes.\n")


@pytest.mark.parametrize("output_format", ["text", "markdown", "json"])
def test_a_failed_plan_fails(statetool: Statetool, output_format: str) -> None:
    Path("plan.json").write_bytes(plan(errored=True))
    result = statetool("plan-show", "plan.json", "--config", ".", "--format", output_format)
    assert result.status == 1
    assert "planning failed" in f"{result.err}{result.text}".lower()


def _line(statetool: Statetool, given: bytes, name: str) -> str:
    Path("plan.json").write_bytes(given)
    lines = statetool("plan-show", "plan.json", "--config", ".").text.splitlines()
    return next(line.strip() for line in lines if name in line)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"importing": {"identity": {"account": "1", "n": "x"}}}, 'imported, identity { account = "1", n = "x" }'),
        ({"importing": {"identity": {"api_token": "hush", "n": 1}}},
         "imported, identity { api_token = (sensitive value), n = 1 }"),
        ({"importing": {"identity": {"p": "hush"}}, "after_sensitive": {"p": True}},
         "imported, identity { p = (sensitive value) }"),
        ({"importing": {"identity": {"p": "hush"}}, "after_sensitive": True}, "imported, identity (sensitive value)"),
        ({"importing": {"id": "a"}, "generated_config": "x {}"}, 'imported, id "a"; its configuration is generated'),
    ],
)  # fmt: skip
def test_imports(members: dict[str, Any], expected: str, statetool: Statetool) -> None:
    line = _line(statetool, plan(change('aws_vpc.main["eu"]', "no-op", change=members)), "aws_vpc.main")
    assert line == f'aws_vpc.main["eu"] ({expected})'


@pytest.mark.parametrize(
    ("attribute", "note"),
    [
        (["tags"], " (the plan depends on it)"),
        (["tags", "a", 0], " (the plan depends on it)"),
        ([], " (the plan depends on it)"),
        (["id"], ""),
    ],
)
def test_drift_that_the_plan_depends_on(attribute: list[str | int], note: str, statetool: Statetool) -> None:
    drifted = change("aws_vpc.main", "update", change={"before": {"tags": {"a": "x"}}, "after": {"tags": {"a": "y"}}})
    relevant = [{"resource": "aws_vpc.main", "attribute": attribute}]
    assert _line(statetool, plan(resource_drift=[drifted], relevant_attributes=relevant), "aws_vpc") == (
        f"~ aws_vpc.main{note}"
    )


@pytest.mark.parametrize(
    ("members", "note"),
    [
        ({"invoke_action_trigger": {}}, "invoked by request"),
        ({"invoke_action_trigger": {"calling_resource_address": "aws_vpc.a"}}, "invoked for aws_vpc.a"),
        ({"lifecycle_action_trigger": {**_TRIGGER, "on_failure": "ActionOnFailureTaint"}},
         "after create of aws_vpc.a; a failure taints the object"),
    ],
)  # fmt: skip
def test_what_invokes_an_action(members: dict[str, Any], note: str, statetool: Statetool) -> None:
    action = {"address": "action.aws_lambda_invoke.warm", **members}
    assert _line(statetool, plan(action_invocations=[action]), "action.") == f"{action['address']} ({note})"


def test_unknown_members_are_hidden_at_any_depth(statetool: Statetool) -> None:
    Path("plan.json").write_bytes(plan(change("aws_vpc.a", "no-op", change={"novel": {"x": "hush"}}), old="hush"))
    result = statetool("plan-show", "plan.json", "--config", ".", "--format", "json")
    document = json.loads(result.out)
    assert document["old"] == document["resource_changes"][0]["change"]["novel"] == "(sensitive value)"
    assert result.err.endswith("does not show: /old, /resource_changes/0/change/novel\n")


def test_actions_are_listed_without_their_configuration(statetool: Statetool) -> None:
    action = {**_ACTION, "config_values": {"payload": "hush"}, "config_sensitive": {}}
    Path("plan.json").write_bytes(plan(action_invocations=[action]))
    text = statetool("plan-show", "plan.json", "--config", ".").text
    assert "\n    action.aws_lambda_invoke.warm (after create of aws_vpc.a)\n" in text
    assert "hush" not in text


def test_sources_of_both_registries(statetool: Statetool) -> None:
    """A plan of Terraform names its own registry, and so do the provider instances."""
    ours, theirs = AWS, AWS.replace("opentofu.org", "terraform.io")
    Path("plan.json").write_bytes(_PLAN.replace(ours.encode(), theirs.encode()))
    result = statetool("plan-show", "plan.json", "--config", ".", "--format", "json")
    assert json.loads(result.out)["resource_changes"][0]["provider_instance"].startswith(f'provider["{theirs}"]')


@pytest.mark.parametrize("options", [[], ["--show-sensitive"]], ids=["hidden", "shown"])
def test_json_has_its_schema(options: list[str], statetool: Statetool) -> None:
    """Recorded plans, whose configuration is not at hand, and plans whose objects have provider instances."""
    found = {name: files["plan.json"] for name, files in recorded_plans().items() if "plan.json" in files}
    found["instances"] = _PLAN
    found["objects"] = plan(change('aws_vpc.main["eu"]', "no-op"), objects=(prior('aws_vpc.main["eu"]'),))
    validator = Draft202012Validator(json.loads(schema_text("plan-show-output")))
    providers = set()
    for name, text in found.items():
        Path("plan.json").write_bytes(text)
        shown = json.loads(statetool("plan-show", "plan.json", "--config", ".", "--format", "json", *options).out)
        assert [f"{name}: {error.message}" for error in validator.iter_errors(shown)] == []
        providers |= {each["provider_instance"] for each in shown.get("resource_changes", ())}
    assert len(found) > 50
    assert {None, f'{BY_REGION}["eu"]'} <= providers


def test_the_schema_wants_provider_instances() -> None:
    shown, given = (json.loads(schema_text(name)) for name in ("plan-show-output", "plan"))
    assert Draft202012Validator(given).is_valid(json.loads(_PLAN))
    assert not Draft202012Validator(shown).is_valid(json.loads(_PLAN))
    for part in ("resource_changes", "resource_drift"):
        document = json.loads(_PLAN) | {part: [{**change("aws_vpc.main", "no-op"), "provider_instance": None}]}
        document["resource_changes"] = document[part]
        assert not Draft202012Validator(shown).is_valid(document)
        document[part][0]["provider_instance_reason"] = "why"
        assert Draft202012Validator(shown).is_valid(document)


def test_the_schema_has_the_members_of_a_plan() -> None:
    shown, given = (json.loads(schema_text(name)) for name in ("plan-show-output", "plan"))
    assert shown["properties"].keys() == given["properties"].keys()
    # Those with provider instances.
    bound = {"priorState", "stateValues", "module"}
    assert {name: shown["$defs"][name] for name in given["$defs"].keys() - bound} == {
        name: part for name, part in given["$defs"].items() if name not in bound
    }


_FORMS: Final[list[tuple[Any, Any]]] = [
    # JSON: white space, and the order of members, also in JSON within JSON.
    ('{"a":1,"b":[1,2]}', '{ "b": [1, 2],\n "a": 1 }'),
    ('["{\\"a\\":1}"]', '["{ \\"a\\": 1 }"]'),
    (None, ""),
    ("", None),
    ([], None),
    (None, {}),
    (1, 1.0),
]
_VALUES: Final[list[tuple[Any, Any]]] = [
    ('{"a":1,"b":[1,2]}', '{"a":1,"b":[2,1]}'),
    ('{"a":1}', '{"a":1,"b":null}'),
    ('{"a":1}', '{"a":true}'),
    ('{"a":1}', '{"a":"1"}'),
    ("a", "a "),
    ("1", "1.0"),
    (None, 0),
    (None, False),
    (None, [None]),
    (None, " "),
    (1, 2),
    (["a", "b"], ["b", "a"]),
    ("[1", "[1 "),
]


def _drifted(before: Any, after: Any) -> list[dict[str, Any]]:
    """Drift of one attribute, alone and within a block."""
    old, new = ({"id": "i", "p": value, "block": [{"q": value}]} for value in (before, after))
    return [change("aws_vpc.a", "update", change={"before": old, "after": new})]


@pytest.mark.parametrize(("before", "after"), _FORMS)
def test_another_form_is_no_drift(statetool: Statetool, before: Any, after: Any) -> None:
    Path("plan.json").write_bytes(plan(resource_drift=_drifted(before, after)))
    assert statetool("plan-show", "plan.json", "--config", ".").text == (
        "Different only in form:\n    aws_vpc.a (p, block[0].q)\n\n"
        "Plan: 0 to add, 0 to change, 0 to destroy; 1 object different only in form.\n"
    )
    result = statetool("check", "--plan", "plan.json", "--no-state", "--format", "concise")
    assert result.text.count(" PLN") == result.text.count(" PLN009") == 1
    assert "2 attributes differ only in form: aws_vpc.a: p, aws_vpc.a: block[0].q" in result.text


@pytest.mark.parametrize(("before", "after"), _VALUES)
def test_another_value_is_drift(statetool: Statetool, before: Any, after: Any) -> None:
    Path("plan.json").write_bytes(plan(resource_drift=_drifted(before, after)))
    text = statetool("plan-show", "plan.json", "--config", ".").text
    assert text.startswith("Changed outside of OpenTofu:\n  ~ aws_vpc.a\n")
    assert text.endswith("; 1 object changed outside.\n")
    assert "only in form" not in text
    assert " at p" in (text := statetool("check", "--plan", "plan.json", "--no-state").text) or " at block" in text


def test_form_and_value_are_told_apart(statetool: Statetool) -> None:
    drift = [change("aws_vpc.a", "update", change={"before": {"p": "[1]", "q": 1}, "after": {"p": "[ 1]", "q": 2}})]
    Path("plan.json").write_bytes(plan(resource_drift=drift))
    text = statetool("check", "--plan", "plan.json", "--no-state").text
    assert "aws_vpc.a changed outside of OpenTofu at q." in text
    assert "1 attribute differs only in form: aws_vpc.a: p." in text


def test_paths_in_sensitive_values_are_hidden(statetool: Statetool) -> None:
    sides = {"before": {"p": {"hush": "[1]"}}, "after": {"p": {"hush": "[ 1]"}}, "before_sensitive": {"p": True}}
    Path("plan.json").write_bytes(plan(resource_drift=[change("aws_vpc.a", "update", change=sides)]))
    for command in (("plan-show", "plan.json", "--config", "."), ("check", "--plan", "plan.json", "--no-state")):
        text = statetool(*command).text
        assert "hush" not in text
        assert "only in form" in text


def test_sets_are_known_by_their_schema(statetool: Statetool) -> None:
    block = {"attributes": {"p": {"type": ["set", "string"]}, "q": {"type": ["list", "string"]}}}
    schemas = {"format_version": "1.0", "provider_schemas": {AWS: {"resource_schemas": {"aws_vpc": {"block": block}}}}}
    Path("schemas.json").write_text(json.dumps(schemas), encoding="utf-8")
    old, new = ({"p": value, "q": value} for value in (["a", "b"], ["b", "a"]))
    drift = [change("aws_vpc.a", "update", change={"before": old, "after": new})]
    Path("plan.json").write_bytes(plan(resource_drift=drift))
    text = statetool("check", "--plan", "plan.json", "--no-state", "--schemas", "schemas.json").text
    assert "changed outside of OpenTofu at q[0], q[1]." in text
    assert "1 attribute differs only in form: aws_vpc.a: p." in text
