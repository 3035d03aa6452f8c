"""The plan's own JSON: nothing but members of the provider instance is added, and only secrets are replaced."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from statefmt.analysis.plans.bindings import PlanBindings, plan_variables
from statefmt.configuration import LoadOptions, load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.formats.reading import inspect
from statefmt.lifecycle.read_plan import read_plan
from statefmt.render.plan_json import plan_json
from tests.analysis.plans.documents import AWS, change, plan, prior, state
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row

_PLANS: Final = {name: files for name, files in recorded_plans().items() if "plan.json" in files}
_ADDED: Final = re.compile(rb',\s*"provider_instance(?:_reason)?":\s*(?:null|"(?:[^"\\]|\\.)*")')
_BUILTIN: Final = 'provider["terraform.io/builtin/terraform"]'


def _json(given: bytes, folder: Path, before: bytes | None = None, *, show_sensitive: bool = True) -> bytes:
    found = read_plan(given)
    references = ProviderReferences(load(folder, LoadOptions(variables=plan_variables(found, "plan.json"))))
    snapshot = None if before is None else inspect(before).snapshot
    return plan_json(found, PlanBindings(found, references, snapshot), show_sensitive=show_sensitive)


def _folder(files: Any, folder: Path) -> Path:
    for name, content in files.items():
        if name.endswith(".tf"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
    return folder


def _resources(module: dict[str, Any]) -> list[dict[str, Any]]:
    own: list[dict[str, Any]] = module.get("resources", [])
    return own + [one for each in module.get("child_modules", []) for one in _resources(each)]


@each_row("name", _PLANS)
@each_row("compact", [False, True])
def test_other_bytes_stay(name: str, compact: bool, tmp_path: Path) -> None:
    source = _PLANS[name]["plan.json"]
    source = json.dumps(json.loads(source), separators=(",", ":")).encode() if compact else source
    found = _json(source, _folder(_PLANS[name], tmp_path), _PLANS[name].get("before.tfstate"))
    assert _ADDED.sub(b"", found) == source
    again = read_plan(found).resource_changes
    assert tuple(replace(each, provider_config=None) for each in again) == read_plan(source).resource_changes
    # What it adds is read again.
    added = [one["provider_instance"] for one in json.loads(found).get("resource_changes", ())]
    assert [None if one.provider_config is None else str(one.provider_config) for one in again] == added


@each_row("name", _PLANS)
def test_every_change_has_its_instance(name: str, tmp_path: Path) -> None:
    """Terraform has one instance of each configuration, and these plans the built-in provider only."""
    files = _PLANS[name]
    before = files.get("before.tfstate", b'{"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l"}')
    document = json.loads(_json(files["plan.json"], _folder(files, tmp_path), before))
    prior_objects = _resources(document.get("prior_state", {}).get("values", {}).get("root_module", {}))
    planned = _resources(document["planned_values"]["root_module"])
    every = [*document.get("resource_changes", []), *document.get("resource_drift", []), *prior_objects, *planned]
    assert [each["provider_instance"] for each in every] == [_BUILTIN] * len(every)


def test_a_secret_is_hidden(tmp_path: Path) -> None:
    files = _PLANS["029-sensitive-input"]
    assert files["plan.json"].count(b"hush") == 6
    found = _json(files["plan.json"], _folder(files, tmp_path), show_sensitive=False)
    assert b"hush" not in found
    assert found.count(b'"(sensitive value)"') == 6
    assert json.loads(found)["resource_changes"][0]["change"]["after"]["input"] == {
        "list": ["x", "(sensitive value)"], "plain": "p", "secret": "(sensitive value)"
    }  # fmt: skip


def _update(after: Any, mask: Any, **members: Any) -> dict[str, Any]:
    return change("aws_vpc.a", "update", change={"after": {"p": after}, "after_sensitive": {"p": mask}, **members})


def _one_sided(mask: str) -> dict[str, Any]:
    sides = {"before": {"p": "hush"}, "after": {"p": "hush"}}
    return change("aws_vpc.a", "update", change={**sides, mask: {"p": True}})


_CONSTANT: Final = {"constant_value": "hush"}
_BLOCK: Final = {"address": "aws_vpc.a", "expressions": {"p": [{"inner": _CONSTANT}], "q": {"constant_value": "open"}}}
_BARE: Final = prior("aws_vpc.a", values={"p": "hush"}, sensitive_values={})
_VARIABLE: Final = {"variables": {"v": {"sensitive": True, "default": ["hush"]}}}
_OUTPUT: Final = {"actions": ["update"], "before": "hush", "after": {"hush": 1}}
_OBJECT: Final = prior("aws_vpc.a", values={"p": "hush"}, sensitive_values={"p": True})


@each_row(
    "part",
    [
        {"resource_changes": [_update("hush", True)]},
        {"resource_changes": [_update(["hush"], {"of another shape": True})]},
        {"resource_drift": [_update(["hush"], [True])]},
        {"deferred_changes": [{"reason": "x", "resource_change": _update("hush", True)}]},
        {"output_changes": {"o": {**_OUTPUT, "before_sensitive": True, "after_sensitive": True}}},
        {"planned_values": {"outputs": {"o": {"sensitive": True, "value": ["hush"]}}, "root_module": {}}},
        {"planned_values": {"root_module": {"child_modules": [{"resources": [_OBJECT]}]}}},
        {"variables": {"v": {"value": {"hush": 1}}}, "configuration": {"root_module": _VARIABLE}},
        {
            "variables": {"v": {"value": {"hush": 1}}},
            "configuration": {"root_module": {"variables": {"v": {"ephemeral": True, "default": "hush"}}}},
        },
        {"configuration": {"root_module": {"outputs": {"o": {"sensitive": True, "expression": _CONSTANT}}}}},
        {"configuration": {"provider_config": {"p": {"expressions": {"api_token": _CONSTANT}}}}},
        {
            "configuration": {
                "root_module": {"module_calls": {"m": {"expressions": {"v": _CONSTANT}, "module": _VARIABLE}}}
            }
        },
        {"resource_changes": [_update("open", True)], "configuration": {"root_module": {"resources": [_BLOCK]}}},
        {
            "deferred_changes": [
                {"reason": "x", "resource_change": {**_update("open", True), "address": "module.m[*].aws_vpc.a[*]"}}
            ],
            "configuration": {"root_module": {"module_calls": {"m": {"module": {"resources": [_BLOCK]}}}}},
        },
        {"resource_changes": [_one_sided("before_sensitive")]},
        {
            "resource_changes": [_one_sided("after_sensitive")],
            "planned_values": {"root_module": {"resources": [_BARE]}},
        },
        {"resource_changes": [_update("open", {}, after_identity={"password": "hush"})]},
        {"resource_changes": [_update("open", True, importing={"identity": {"p": "hush"}})]},
        {
            "output_changes": {"o": {**_OUTPUT, "before_sensitive": True, "after_sensitive": False}},
            "planned_values": {"outputs": {"o": {"sensitive": False, "value": "hush"}}, "root_module": {}},
        },
    ],
)
def test_secrets_of_every_part(part: dict[str, Any], tmp_path: Path) -> None:
    part = dict(part)
    given = plan(*part.pop("resource_changes", ()), **part)
    assert b"hush" in given
    found = _json(given, tmp_path, show_sensitive=False)
    assert b"hush" not in found
    assert json.loads(found).keys() == json.loads(given).keys()


def test_repeated_members_are_all_hidden(tmp_path: Path) -> None:
    given = plan(_update("hush", True)).replace(b'"p": "hush"', b'"p": "hush", "p": "hush"')
    assert b"hush" not in _json(given, tmp_path, show_sensitive=False)


def test_numbers_beyond_floats_in_masks(tmp_path: Path) -> None:
    given = plan(_update("hush", {"x": True, "y": 0})).replace(b'"y": 0', b'"y": 1e400')
    assert b"hush" not in _json(given, tmp_path, show_sensitive=False)


_KEYED: Final = """
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {
  alias    = "by"
  for_each = toset(["eu"])
  region   = each.key
}
resource "aws_vpc" "each" {
  for_each = { a = { region = "eu" } }
  provider = aws.by[each.value.region]
}
resource "aws_vpc" "fixed" {
  provider = aws.by["eu"]
}
resource "aws_vpc" "other" {
  provider = aws.by[var.of["x"] == "" ? local.a : "eu"]
}
resource "aws_vpc" "plain" {}
"""


@each_row("compact", [False, True])
def test_the_keys_in_the_configuration(compact: bool, tmp_path: Path) -> None:
    """As `count_expression` in plans of OpenTofu, whose marshalExpression() lists each step of a reference."""
    (tmp_path / "main.tf").write_text(_KEYED, encoding="utf-8")
    blocks = [
        {"address": f"aws_vpc.{name}", "provider_config_key": "x"} for name in ("each", "fixed", "other", "plain")
    ]
    blocks[1].pop("provider_config_key")
    given = plan(configuration={"root_module": {"resources": blocks}})
    given = given if not compact else json.dumps(json.loads(given), separators=(",", ":")).encode()
    found = json.loads(_json(given, tmp_path))["configuration"]["root_module"]["resources"]
    assert [each.pop("provider_instance_expression", None) for each in found] == [
        {"references": ["each.value.region", "each.value"]},
        {"constant_value": "eu"},
        {"references": ['var.of["x"]', "var.of", "local.a"]},
        None,
    ]
    assert found == blocks


def test_planned_values_have_instances(tmp_path: Path) -> None:
    """An object without a change is in no plan of a real program."""
    (tmp_path / "main.tf").write_text(_KEYED, encoding="utf-8")
    objects = {"resources": [prior('aws_vpc.each["a"]'), prior("aws_vpc.stray")]}
    given = plan(change('aws_vpc.each["a"]', "create"), planned_values={"root_module": {"child_modules": [objects]}})
    (module,) = json.loads(_json(given, tmp_path))["planned_values"]["root_module"]["child_modules"]
    assert [each["provider_instance"] for each in module["resources"]] == [f'provider["{AWS}"].by["eu"]', None]
    assert module["resources"][1]["provider_instance_reason"] == "the plan has no change of this object"


def test_a_reason_instead(tmp_path: Path) -> None:
    given = plan(change("aws_vpc.a", "create"), objects=(prior("aws_vpc.a"),))
    document = json.loads(_json(given, tmp_path, state()))
    (found,) = document["resource_changes"]
    assert found["provider_instance"] is None
    assert "no block declares it" in found["provider_instance_reason"]
    assert list(found).index("provider_instance") == list(found).index("provider_name") + 1
    (before,) = document["prior_state"]["values"]["root_module"]["resources"]
    assert before["provider_instance"] is None
    assert "not the state that the plan was made for" in before["provider_instance_reason"]
