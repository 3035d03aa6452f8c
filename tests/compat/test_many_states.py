"""A module moved between two states: with both configurations changed, the real program plans no changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.compat.applied import NO_RESOURCES, applied, plans_nothing
from tests.compat.program import Program

_MODULE = """resource "terraform_data" "one" {
  input = var.name
}
variable "name" {}
output "id" {
  value = terraform_data.one.id
}
"""
_CALL = 'module "vpc" {\n  source = "../vpc"\n  name   = "main"\n}\n'
_OWN = 'resource "terraform_data" "own" {\n  input = "%s"\n}\n'
_CONSUMER = 'resource "terraform_data" "consumer" {\n  input = %s\n}\n'
_REMOTE = """data "terraform_remote_state" "net" {
  backend = "local"
  config = {
    path = "../net/terraform.tfstate"
  }
}
"""
_FILE = """state "app" { path = "app" }
state "net" { path = "net" }
move {
  from = state.app.module.vpc
  to   = state.net.module.vpc
}
"""


@pytest.fixture
def folders(real: Program, folder: Path) -> tuple[Path, Path]:
    """Two root modules with states; the first one calls the module."""
    (folder / "vpc").mkdir()
    (folder / "vpc/main.tf").write_text(_MODULE)
    for name, call in (("app", _CALL), ("net", "")):
        (folder / name).mkdir()
        (folder / name / "main.tf").write_text(call + _OWN % name)
        applied(real, folder / name)
    (folder / "split.stateops.hcl").write_text(_FILE)
    return folder / "app", folder / "net"


@pytest.mark.parametrize(
    "command",
    [
        ("apply", "-y", "split.stateops.hcl"),
        ("mv", "--from-state", "app", "--to-state", "net", "module.vpc"),
        ("mv", "-state=app/terraform.tfstate", "-state-out=net/terraform.tfstate", "module.vpc", "module.vpc"),
    ],
    ids=["file", "mv", "as Terraform spells it"],
)
def test_nothing_is_planned_in_either_state(
    command: tuple[str, ...], folders: tuple[Path, Path], real: Program, statetool: Statetool
) -> None:
    app, net = folders
    done = statetool(*command)
    assert done.status == 0, done.err
    (net / "main.tf").write_text((net / "main.tf").read_text() + _CALL)
    (app / "main.tf").write_text(_OWN % "app")
    for one in (app, net):
        plans_nothing(real, one)


def test_what_moved_is_read_from_the_other_state(
    folders: tuple[Path, Path], real: Program, statetool: Statetool
) -> None:
    """As the list of dependencies that would cross says: an output there, and terraform_remote_state here."""
    app, net = folders
    (app / "main.tf").write_text(_CALL + _OWN % "app" + _CONSUMER % "module.vpc.id")
    applied(real, app)
    refused = statetool("mv", "--from-state", "app", "--to-state", "net", "module.vpc")
    assert refused.status == 2
    moved = statetool("mv", "-y", "--from-state", "app", "--to-state", "net", "module.vpc")
    assert moved.status == 0
    assert "app needs module.vpc.terraform_data.one in net, for terraform_data.consumer" in moved.text
    (net / "main.tf").write_text(_CALL + _OWN % "net" + 'output "vpc_id" {\n  value = module.vpc.id\n}\n')
    (app / "main.tf").write_text(_OWN % "app" + _REMOTE + _CONSUMER % "data.terraform_remote_state.net.outputs.vpc_id")
    # The output is new, and no resource changes.
    assert NO_RESOURCES in applied(real, net)
    for one in (app, net):
        plans_nothing(real, one)
