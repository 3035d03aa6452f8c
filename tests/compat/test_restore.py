"""`restore` puts back the backups that real programs make, and they go on with the result."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Statetool
from tests.compat.program import Program

STATE = "terraform.tfstate"
_ONE = 'resource "terraform_data" "a" { input = 1 }\n'
_TWO = _ONE + 'resource "terraform_data" "b" { input = 2 }\n'


def test_the_backup_of_an_apply(real: Program, folder: Path, statetool: Statetool) -> None:
    path = folder / STATE
    for content in (_TWO, _ONE):
        (folder / "main.tf").write_text(content)
        applied = real.run(folder, "apply", "-input=false", "-auto-approve")
        assert applied.status == 0, applied.err
    before, after = json.loads(Path(f"{STATE}.backup").read_bytes()), json.loads(path.read_bytes())
    assert [one["name"] for one in after["resources"]] == ["a"]
    assert statetool("restore", f"{STATE}.backup", "--yes").status == 0
    assert json.loads(path.read_bytes()) == {**before, "serial": after["serial"] + 1}
    assert real.run(folder, "state", "list").out.split() == ["terraform_data.a", "terraform_data.b"]
    # The program plans what it would have planned before that apply.
    (folder / "main.tf").write_text(_TWO)
    assert real.run(folder, "plan", "-input=false", "-detailed-exitcode").status == 0


def test_the_backup_of_a_move(real: Program, folder: Path, statetool: Statetool) -> None:
    path = folder / STATE
    (folder / "main.tf").write_text(_ONE)
    assert real.run(folder, "apply", "-input=false", "-auto-approve").status == 0
    assert real.run(folder, "state", "mv", "terraform_data.a", "terraform_data.c").status == 0
    [backup] = folder.glob(f"{STATE}.*.backup")
    # Pruning leaves it alone, although it has the same form of name as our own.
    assert statetool("taint", "terraform_data.c").status == 0
    assert statetool("history", "--prune", "--older-than", "0h", "--yes").status == 0
    assert list(folder.glob(f"{STATE}.*.backup")) == [backup]
    # In between, the state is lost.
    path.unlink()
    assert statetool("restore", backup.name).status == 0
    assert real.run(folder, "state", "list").out.split() == ["terraform_data.a"]
    assert real.run(folder, "plan", "-input=false", "-detailed-exitcode").status == 0
