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


_INSIDE = """
provider "aws" {
  for_each = toset([
    "eu",
  ])
  alias    = "in"
  region   = each.value
  dynamic "assume_role" {
    for_each = each.key == "eu" ? ["x"] : []
    content {
      role_arn = "${each.key}"
    }
  }
}
resource "aws_security_group" "g" {
  for_each = toset(["eu"])
  name     = "$${each.key}"
  provider = aws.in[each.key]
  motd     = <<-EOT
    in ${each.key}
  EOT
  dynamic "ingress" {
    for_each = [each.value]
    content {
      count    = upper(each.key)
      provider = each.key
    }
  }
}
"""
# As `terraform fmt` leaves it.
_INSIDE_FLAT = """
provider "aws" {
  alias  = "in_eu"
  region = "eu"
  dynamic "assume_role" {
    for_each = "eu" == "eu" ? ["x"] : []
    content {
      role_arn = "eu"
    }
  }
}
resource "aws_security_group" "g_eu" {
  name     = "$${each.key}"
  provider = aws.in_eu
  motd     = <<-EOT
    in eu
  EOT
  dynamic "ingress" {
    for_each = ["eu"]
    content {
      count    = upper("eu")
      provider = "eu"
    }
  }
}
"""


def test_arguments_inside_blocks(tmp_path: Path) -> None:
    """Only those of the block itself are its repetition and its provider."""
    (tmp_path / "main.tf").write_text(_INSIDE)
    made = unrolled(ProviderReferences(load(tmp_path)))
    assert (made.obstacles, made.files["main.tf"].decode()) == ((), _INSIDE_FLAT)


def test_an_override(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text('provider "aws" {\n  alias = "in"\n  for_each = toset(["eu"])\n}\n')
    (tmp_path / "x_override.tf").write_text('provider "aws" {\n  alias = "in"\n  region = each.key\n}\n')
    (found,) = unrolled(ProviderReferences(load(tmp_path))).obstacles
    assert "x_override.tf" in found


@pytest.mark.parametrize(
    ("name", "text", "obstacle"),
    [
        ("main.tf", 'variable "r" {}\nprovider "aws" {\n  alias = "in"\n  for_each = var.r\n}\n', "are not known"),
        ("main.tf.json", '{"provider": {"aws": {"alias": "in", "for_each": {"eu": 1}}}}', "JSON"),
    ],
)
def test_obstacles(name: str, text: str, obstacle: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    (found,) = unrolled(ProviderReferences(load(tmp_path))).obstacles
    assert obstacle in found
