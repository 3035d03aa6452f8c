"""The provider instance of each change, by the rules of the RFC "Static Evaluation of Provider Iteration"."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.analysis.plans.bindings import BoundChange, PlanBindings, plan_variables
from statefmt.analysis.providers.fates import FateKind
from statefmt.configuration import LoadOptions, load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.formats.reading import read
from statefmt.lifecycle.read_plan import read_plan
from tests.analysis.plans.documents import AWS, BY_REGION, change, plan, prior, state

_REGIONS: Final[dict[str, Any]] = {"variables": {"regions": {"value": ["eu", "us"]}}}
_PROVIDER: Final = """
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
"""
_KEYED: Final = f"""{_PROVIDER}
resource "aws_vpc" "main" {{
  for_each = toset(["eu"])
  provider = aws.by_region[each.key]
}}
"""


def _bindings(folder: Path, text: str, given: bytes, before: bytes | None = None) -> PlanBindings:
    (folder / "main.tf").write_text(text, encoding="utf-8")
    found = read_plan(given)
    references = ProviderReferences(load(folder, LoadOptions(variables=plan_variables(found, "plan.json"))))
    assert not references.configuration.problems
    return PlanBindings(found, references, None if before is None else read(before).snapshot)


def _one(folder: Path, text: str, given: bytes, before: bytes | None = None) -> BoundChange:
    (found,) = _bindings(folder, text, given, before).changes
    return found


def test_a_key_of_the_resource(tmp_path: Path) -> None:
    found = _one(tmp_path, _KEYED, plan(change('aws_vpc.main["eu"]', "create")))
    assert (str(found.planned.provider), found.planned.outcome) == (f'{BY_REGION}["eu"]', FateKind.KEPT)
    assert found.prior is None


def test_a_removed_instance_keeps_the_provider_of_the_state(tmp_path: Path) -> None:
    given = plan(change('aws_vpc.main["us"]', "delete"), **_REGIONS)
    found = _one(tmp_path, _KEYED, given, state(('aws_vpc.main["us"]', "us")))
    assert (str(found.planned.provider), found.planned.outcome) == (f'{BY_REGION}["us"]', FateKind.KEPT)
    assert str(found.prior) == f'{BY_REGION}["us"]'
    assert not found.is_rebound


def test_the_removal_trap(tmp_path: Path) -> None:
    given = plan(change('aws_vpc.main["us"]', "delete"))
    found = _one(tmp_path, _KEYED, given, state(('aws_vpc.main["us"]', "us")))
    assert found.planned.outcome is FateKind.INSTANCE_GONE
    assert str(found.planned.provider) == f'{BY_REGION}["us"]'
    assert found.planned.is_missing


def test_what_is_forgotten_needs_no_provider(tmp_path: Path) -> None:
    given = plan(change('aws_vpc.main["us"]', "forget"))
    found = _one(tmp_path, _KEYED, given, state(('aws_vpc.main["us"]', "us")))
    assert not found.planned.is_missing
    assert str(found.planned.provider) == f'{BY_REGION}["us"]'


def test_only_the_state_can_tell(tmp_path: Path) -> None:
    found = _one(tmp_path, _KEYED, plan(change('aws_vpc.main["us"]', "delete")))
    assert found.planned.provider is None
    assert found.planned.reason == "only the state names its provider instance: name the state with --state"


def test_the_variables_of_the_plan_count(tmp_path: Path) -> None:
    text = _KEYED.replace('toset(["eu"])', "var.regions")
    (tmp_path / "terraform.tfvars").write_text('regions = ["asia"]\n', encoding="utf-8")
    given = plan(change('aws_vpc.main["us"]', "create"), **_REGIONS)
    assert str(_one(tmp_path, text, given).planned.provider) == f'{BY_REGION}["us"]'
    given = plan(change('aws_vpc.main["us"]', "create"))
    found = _one(tmp_path, text, given)
    assert found.planned.provider is None
    assert "the configuration has no such instance" in found.planned.reason


def test_a_template_in_a_variable_is_text(tmp_path: Path) -> None:
    keyed = change('aws_vpc.main["$${x}"]', "create", index="${x}")
    given = plan(keyed, variables={"regions": {"value": ["${x}"]}})
    text = _KEYED.replace('toset(["eu"])', "var.regions")
    assert str(_one(tmp_path, text, given).planned.provider) == f'{BY_REGION}["$${{x}}"]'


def test_another_instance_than_before(tmp_path: Path) -> None:
    given = plan(change('aws_vpc.main["eu"]', "update"), **_REGIONS)
    found = _one(tmp_path, _KEYED, given, state(('aws_vpc.main["eu"]', "us")))
    assert found.is_rebound
    assert (str(found.prior), str(found.planned.provider)) == (f'{BY_REGION}["us"]', f'{BY_REGION}["eu"]')


def test_a_key_passed_by_a_module_call(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "main.tf").write_text(
        'terraform {\n  required_providers {\n    aws = { source = "hashicorp/aws" }\n  }\n}\n'
        'resource "aws_vpc" "in" {}\n',
        encoding="utf-8",
    )
    text = f"""{_PROVIDER}
module "net" {{
  source    = "./net"
  for_each  = var.regions
  providers = {{ aws = aws.by_region[each.key] }}
}}
"""
    given = plan(
        change('module.net["us"].aws_vpc.in', "create"), change('module.net["eu"].aws_vpc.in', "create"), **_REGIONS
    )
    found = _bindings(tmp_path, text, given).changes
    assert [str(each.planned.provider) for each in found] == [f'{BY_REGION}["us"]', f'{BY_REGION}["eu"]']


def test_a_moved_object_keeps_its_binding(tmp_path: Path) -> None:
    text = f"{_KEYED}\nmoved {{\n  from = aws_vpc.old\n  to   = aws_vpc.main\n}}\n"
    moved = change('aws_vpc.main["eu"]', "no-op", previous_address='aws_vpc.old["eu"]')
    found = _bindings(
        tmp_path, text, plan(moved, objects=(prior('aws_vpc.main["eu"]'),)), state(('aws_vpc.old["eu"]', "eu"))
    )
    (only,) = found.changes
    assert str(only.prior) == str(only.planned.provider) == f'{BY_REGION}["eu"]'
    assert only.planned.outcome is FateKind.KEPT
    assert found.stranded == ()


def test_a_deposed_object_needs_the_state(tmp_path: Path) -> None:
    deposed = change('aws_vpc.main["eu"]', "delete", deposed="00c0ffee")
    assert _one(tmp_path, _KEYED, plan(deposed)).planned.provider is None
    there = state(deposed=('aws_vpc.main["eu"]', "us"))
    found = _one(tmp_path, _KEYED, plan(deposed, **_REGIONS), there)
    assert (str(found.planned.provider), found.planned.outcome) == (f'{BY_REGION}["us"]', FateKind.KEPT)


def test_a_missing_configuration(tmp_path: Path) -> None:
    text = _KEYED.replace("aws.by_region[each.key]", "aws.elsewhere")
    found = _one(tmp_path, text, plan(change('aws_vpc.main["eu"]', "create")))
    assert found.planned.outcome is FateKind.CONFIGURATION_GONE
    # Its key, if it had one, was not evaluated.
    assert found.planned.provider is None
    assert found.planned.reason == f'the configuration has no provider["{AWS}"].elsewhere'


def test_an_unknown_key(tmp_path: Path) -> None:
    text = _KEYED.replace("by_region[each.key]", "by_region[aws_vpc.other.id]") + 'resource "aws_vpc" "other" {}\n'
    found = _one(tmp_path, text, plan(change('aws_vpc.main["eu"]', "create")))
    assert found.planned.provider is None
    assert found.planned.reason


@pytest.mark.parametrize(
    ("source", "provider"),
    [
        ("registry.terraform.io/hashicorp/aws", 'provider["registry.terraform.io/hashicorp/aws"].by_region["eu"]'),
        ("registry.example.com/hashicorp/aws", None),
    ],
)
def test_the_source_that_the_plan_names(tmp_path: Path, source: str, provider: str | None) -> None:
    found = _one(tmp_path, _KEYED, plan(change('aws_vpc.main["eu"]', "create", provider_name=source)))
    assert (None if found.planned.provider is None else str(found.planned.provider)) == provider
    assert ("was made from another configuration" in found.planned.reason) is (provider is None)


def test_the_plan_of_another_configuration(tmp_path: Path) -> None:
    found = _one(tmp_path, _PROVIDER, plan(change("aws_vpc.main", "create")))
    assert found.planned.provider is None
    assert "no block declares it" in found.planned.reason


def test_objects_that_the_plan_leaves_out(tmp_path: Path) -> None:
    given = plan(change('aws_vpc.main["eu"]', "no-op"))
    there = state(('aws_vpc.main["eu"]', "eu"), ('aws_vpc.main["us"]', "us"))
    found = _bindings(tmp_path, _KEYED, given, there)
    assert [str(one.address) for one in found.stranded] == ['aws_vpc.main["us"]']


def _prior(folder: Path, there: bytes | None, *objects: dict[str, Any], **members: Any) -> list[str | None]:
    text = f'{_KEYED}\ndata "aws_vpc" "seen" {{\n  provider = aws.by_region["eu"]\n}}\n'
    found = _bindings(folder, text, plan(objects=objects, **members), there)
    assert found._plan.prior_state is not None
    answers = map(found.of_prior, found._plan.prior_state.resources())
    return [None if each.provider is None else str(each.provider) for each in answers]


def test_objects_before_the_plan(tmp_path: Path) -> None:
    """That of the state; of data sources that were read while planning, that of the configuration."""
    there = state(('aws_vpc.main["eu"]', "us"))
    objects = (prior('aws_vpc.main["eu"]'), prior("data.aws_vpc.seen"), prior("aws_vpc.unheard"))
    assert _prior(tmp_path, there, *objects) == [f'{BY_REGION}["us"]', f'{BY_REGION}["eu"]', None]
    assert _prior(tmp_path, None, *objects) == [None, None, None]


def test_an_imported_object(tmp_path: Path) -> None:
    imported = change('aws_vpc.main["eu"]', "no-op", change={"importing": {"id": "vpc-1"}})
    assert _prior(tmp_path, state(), prior('aws_vpc.main["eu"]'), resource_changes=[imported]) == [f'{BY_REGION}["eu"]']
