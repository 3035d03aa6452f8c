"""`rekey` of modules: as the real program moves one instance after the other, and as its configuration wants it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.cli.conftest import Statetool
from tests.compat.content import content
from tests.compat.program import Program

_INSIDE: Final = """
resource "terraform_data" "web" {
  count = 2
}
resource "terraform_data" "one" {
  depends_on = [terraform_data.web]
}
"""
_CALL: Final = 'module "app" {{\n  source = "./app"\n  {}\n}}\n'
_OTHER: Final = 'resource "terraform_data" "other" {\n  depends_on = [module.app]\n}\n'


def _write(folder: Path, argument: str) -> None:
    (folder / "app").mkdir(exist_ok=True)
    (folder / "app" / "main.tf").write_text(_INSIDE)
    (folder / "main.tf").write_text(_CALL.format(argument) + _OTHER)


def test_from_count_to_for_each(real: Program, statetool: Statetool, folder: Path) -> None:
    _write(folder, "count = 2")
    for arguments in (("init", "-input=false"), ("apply", "-auto-approve", "-input=false")):
        done = real.run(folder, *arguments)
        assert done.status == 0, done.err
    before = (folder / "terraform.tfstate").read_bytes()

    _write(folder, 'for_each = toset(["us", "eu"])')
    own = statetool("rekey", "module.app", "--map", "0=us,1=eu", "--config", ".", "--out", "-")
    assert own.status == 0, own.err
    for number, key in enumerate(("us", "eu")):
        moved = real.run(folder, "state", "mv", f"module.app[{number}]", f'module.app["{key}"]')
        assert moved.status == 0, moved.err
    # Two commands of the program add two to the serial.
    theirs, ours = content((folder / "terraform.tfstate").read_bytes()), content(own.out)
    assert ours.keys() == theirs.keys()
    assert {place for place, value in ours.items() if theirs[place] != value} == {("", "serial")}

    (folder / "terraform.tfstate").write_bytes(before)
    assert real.run(folder, "plan", "-detailed-exitcode", "-input=false", "-lock=false").status == 2
    (folder / "terraform.tfstate").write_bytes(own.out)
    plan = real.run(folder, "plan", "-detailed-exitcode", "-input=false", "-lock=false")
    assert plan.status == 0, plan.out
