"""A module moved between two states: with both configurations changed, the real program plans no changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
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
        for command in (["init", "-input=false"], ["apply", "-auto-approve", "-input=false"]):
            done = real.run(folder / name, *command)
            assert done.status == 0, done.err
    (folder / "split.stateops.hcl").write_text(_FILE)
    return folder / "app", folder / "net"


def test_nothing_is_planned_in_either_state(folders: tuple[Path, Path], real: Program, statetool: Statetool) -> None:
    app, net = folders
    assert statetool("apply", "-y", "split.stateops.hcl").status == 0
    (net / "main.tf").write_text((net / "main.tf").read_text() + _CALL)
    (app / "main.tf").write_text(_OWN % "app")
    for one in (app, net):
        assert real.run(one, "init", "-input=false").status == 0
        planned = real.run(one, "plan", "-input=false", "-detailed-exitcode")
        assert planned.status == 0, planned.out + planned.err
