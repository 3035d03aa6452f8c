"""The way back: a configuration without `for_each` in provider blocks, to which every object goes, and returns from."""

from pathlib import Path

import pytest

from statefmt.analysis.adoption import adopt
from statefmt.configuration import LoadOptions, load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.configuration.unrolling import unrolled
from statefmt.edit.adoption import adopted, adoption_operations, without_conflicts
from statefmt.formats.reading import read
from statefmt.model.findings import Severity
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot, instances
from tests.analysis.adoption.case import CASES, read_case

# Those in which every object has a place, and a provider has `for_each`.
_FILES = [
    file
    for file in sorted(CASES.glob("*.txt"))
    if "alias    = " in (text := file.read_text())
    and not any(word in text for word in ("\nchoice", "\nrefused", "left "))
]


def _went(snapshot: Snapshot, new: ProviderReferences, old: ProviderReferences | None) -> Snapshot:
    found = without_conflicts(snapshot, adopt(snapshot, new, old))
    assert not found.choices and not found.refused
    return adopted(snapshot, adoption_operations(snapshot, found)).snapshot


def _managed(snapshot: Snapshot) -> dict[str, list[tuple[str, ResourceInstanceObject]]]:
    """The objects by address with their provider instances, without the order in the file."""
    return {
        str(one.addr): [
            (str(one.provider(obj)), ResourceInstanceObject(attributes=obj.attributes, deposed=obj.deposed))
            for obj in one.current_first
        ]
        for one in instances(snapshot)
        if not str(one.addr.resource).startswith("data.")
    }


@pytest.mark.parametrize("file", _FILES, ids=[file.stem for file in _FILES])
def test_there_and_back(file: Path, tmp_path: Path) -> None:
    case = read_case(file.read_text(), tmp_path)
    before = read(case.state).snapshot
    there = _went(before, case.after, case.before)
    if case.before is not None:
        assert _managed(_went(there, case.before, case.after)) == _managed(before)
    made = unrolled(case.after)
    assert not made.obstacles
    flat = ProviderReferences(load(tmp_path / "after", LoadOptions(contents=made.files)))
    assert not [one for one in flat.configuration.problems if one.severity is Severity.ERROR]
    assert all(block.for_each is None for block in flat.tree.declared.values())
    back = _went(there, flat, case.after)
    assert not any(resource.has_provider_keys for resource in back.resources)
    assert _managed(_went(back, case.after, flat)) == _managed(there)


_REFERENCES = """
variable "regions" {
  default = { eu = "eu-west-1", us = "us-east-1" }
}
provider "aws" {
  alias    = "in"
  for_each = var.regions # one for each
  region   = each.value
}
resource "aws_vpc" "main" {
  for_each = var.regions
  provider = aws.in[each.key]
  tags     = { Name = "main-${each.key} in ${each.value}" }
}
resource "aws_subnet" "a" {
  for_each = var.regions
  provider = aws.in[each.key]
  vpc_id   = aws_vpc.main[each.key].id
}
resource "aws_iam_role" "r" {
  provider   = aws.in["eu"]
  name       = aws_vpc.main["us"].id
  depends_on = [aws_vpc.main]
}
output "ids" {
  value = [for each in aws_vpc.main : each.id]
}
"""
_FLAT = """
variable "regions" {
  default = { eu = "eu-west-1", us = "us-east-1" }
}
provider "aws" {
  alias = "in_eu"
  # one for each
  region = var.regions["eu"]
}

provider "aws" {
  alias = "in_us"
  # one for each
  region = var.regions["us"]
}
resource "aws_vpc" "main_eu" {
  provider = aws.in_eu
  tags     = { Name = "main-eu in ${var.regions["eu"]}" }
}

resource "aws_vpc" "main_us" {
  provider = aws.in_us
  tags     = { Name = "main-us in ${var.regions["us"]}" }
}
resource "aws_subnet" "a_eu" {
  provider = aws.in_eu
  vpc_id   = aws_vpc.main_eu.id
}

resource "aws_subnet" "a_us" {
  provider = aws.in_us
  vpc_id   = aws_vpc.main_us.id
}
resource "aws_iam_role" "r" {
  provider   = aws.in_eu
  name       = aws_vpc.main_us.id
  depends_on = [aws_vpc.main_eu, aws_vpc.main_us]
}
output "ids" {
  value = [for each in ({ "eu" = aws_vpc.main_eu, "us" = aws_vpc.main_us }) : each.id]
}
"""


def test_references_follow(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(_REFERENCES)
    made = unrolled(ProviderReferences(load(tmp_path)))
    assert not made.obstacles
    text = made.files["main.tf"].decode()
    assert text == _FLAT
    assert len(made.blocks) == 5
