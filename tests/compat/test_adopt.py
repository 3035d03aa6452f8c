"""After `adopt`, a real program has nothing to do: copies of resources and of modules that became `for_each`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Program

_INSIDE: Final = """
variable "name" {}
resource "terraform_data" "one" {
  input = "same"
}
resource "terraform_data" "each" {
  for_each = toset(["x", "y"])
  input    = "${var.name} ${each.key}"
}
resource "terraform_data" "last" {
  count      = 2
  input      = terraform_data.one.id
  depends_on = [terraform_data.each]
}
"""
_COPIES: Final = """
resource "terraform_data" "web_red" {
  input = "web red"
}
resource "terraform_data" "web_blue" {
  input = "web blue"
}
resource "terraform_data" "db_red" {}
resource "terraform_data" "db_blue" {}
resource "terraform_data" "first" {
  input = 1
}
resource "terraform_data" "second" {
  input = 2
}
module "app_red" {
  source = "./app"
  name   = "red"
}
module "app_blue" {
  source = "./app"
  name   = "blue"
}
"""
_EACH: Final = """
locals {
  colours = toset(["red", "blue"])
}
resource "terraform_data" "web" {
  for_each = local.colours
  input    = "web ${each.key}"
}
resource "terraform_data" "db" {
  for_each = local.colours
}
resource "terraform_data" "number" {
  count = 2
  input = count.index + 1
}
module "app" {
  source   = "./app"
  for_each = local.colours
  name     = each.key
}
"""


@pytest.mark.parametrize(("before", "after"), [(_COPIES, _EACH), (_EACH, _COPIES)], ids=["to", "back"])
def test_no_changes(before: str, after: str, real: Program, statetool: Statetool, folder: Path) -> None:
    if real.minor < (1, 6):
        pytest.skip("this release is not asked")
    main = folder / "main.tf"
    (folder / "app").mkdir()
    (folder / "app" / "main.tf").write_text(_INSIDE)
    main.write_text(before)
    assert real.run(folder, "init", "-input=false", "-no-color").status == 0
    assert real.run(folder, "apply", "-auto-approve", "-input=false", "-no-color").status == 0
    old = folder / "old"
    old.mkdir()
    (old / "main.tf").write_text(before)
    (old / "app").mkdir()
    (old / "app" / "main.tf").write_text(_INSIDE)
    main.write_text(after)
    assert real.run(folder, "init", "-input=false", "-no-color").status == 0
    words = ("--config", str(folder), "--from-config", str(old), str(folder / "terraform.tfstate"))
    found = statetool("adopt", *words, "--yes")
    assert found.status == 0, found
    planned = real.run(folder, "plan", "-input=false", "-no-color", "-detailed-exitcode")
    assert (planned.status, "No changes." in planned.out) == (0, True), planned.out
