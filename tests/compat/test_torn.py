"""What a killed or failed write of the real program leaves, salvaged: nothing that file or backup knows is lost."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Program

STATE: Final = "terraform.tfstate"
BACKUP: Final = f"{STATE}.backup"
_NUMBER: Final = 30
# The program empties the file and writes it anew, in one piece; a long one takes a while.
_INPUT: Final = "0123456789" * 3000
_CONFIGURATION: Final = f"""
variable "name" {{ default = "old" }}
variable "filling" {{ default = "" }}
resource "terraform_data" "r" {{
  count = {_NUMBER}
  input = "${{var.name}}${{var.filling}} {_INPUT}"
}}
"""
_APPLY: Final = ("apply", "-input=false", "-auto-approve")
_ATTEMPTS: Final = 20
# An object with its key and the name in its input, as far as the text has them.
_OBJECT: Final = re.compile(r'"index_key": (\d+),.*?"input": \{\s*"value": "(old|new)', re.DOTALL)


@pytest.fixture
def applied(real: Program, folder: Path) -> Program:
    """A program after an apply; the state is in the current folder."""
    (folder / "main.tf").write_text(_CONFIGURATION)
    done = real.run(folder, *_APPLY)
    assert done.status == 0, done.err
    return real


def _inputs(content: str | bytes) -> dict[int, str]:
    """Return the name in the input of each object of a state."""
    resources: list[dict[str, Any]] = json.loads(content)["resources"]
    return {
        one["index_key"]: one["attributes"]["input"]["value"].partition(" ")[0].rstrip("x")
        for resource in resources
        for one in resource["instances"]
    }


def _salvaged(torn: str, serial: int, statetool: Statetool) -> None:
    """Salvage a torn state with its backup; all that its text or the backup has is in the result."""
    named = {int(number): name for number, name in _OBJECT.findall(torn)}
    # The last one may be torn.
    whole = dict(list(named.items())[:-1])
    assert whole
    done = statetool("salvage", STATE, "--from", BACKUP, "-o", "certain")
    assert done.status == 1
    certain = _inputs(Path("certain").read_bytes())
    assert certain.keys() <= {*whole, max(named)}
    assert whole.items() <= certain.items()
    done = statetool("salvage", STATE, "--from", BACKUP, "--include-uncertain", "-o", "salvaged")
    assert done.status == 1
    found = _inputs(Path("salvaged").read_bytes())
    assert sorted(found) == list(range(_NUMBER))
    assert found == _inputs(Path(BACKUP).read_bytes()) | certain
    assert json.loads(Path("salvaged").read_bytes())["serial"] == serial + 1


def _goes_on(real: Program, folder: Path, statetool: Statetool) -> None:
    """Put the result in place: the program has all objects, and creates none."""
    done = statetool("restore", "salvaged", "--state", STATE, "--yes")
    assert done.status == 0, done.err
    assert len(real.run(folder, "state", "list").out.split()) == _NUMBER
    plan = real.run(folder, "plan", "-input=false", "-no-color", "-detailed-exitcode", "-var=name=last")
    assert plan.status == 2, plan.err
    assert f"Plan: 0 to add, {_NUMBER} to change, 0 to destroy." in plan.out


def _killed_in_a_write(real: Program, folder: Path, old: bytes) -> str | None:
    """Kill an apply while the state is shorter than it ever is when it is whole; None if that was never seen."""
    Path(STATE).write_bytes(old)
    running = real.start(folder, *_APPLY, "-var=name=new")
    try:
        while running.poll() is None:
            if 0 < os.stat(STATE).st_size < len(old):  # noqa: PTH116 - a write takes a millisecond
                break
    finally:
        running.kill()
        running.wait()
    left = Path(STATE).read_text()
    return left if 0 < len(left) < len(old) else None


@pytest.mark.skipif(sys.platform == "win32", reason="it kills a process")
def test_killed_in_the_middle_of_a_write(applied: Program, folder: Path, statetool: Statetool) -> None:
    old = Path(STATE).read_bytes()
    killed = (_killed_in_a_write(applied, folder, old) for _ in range(_ATTEMPTS))
    torn = next((left for left in killed if left is not None), None)
    if torn is None:
        pytest.skip("the program wrote too fast to be killed in the middle")
    assert json.loads(Path(BACKUP).read_bytes()) == json.loads(old)
    # The beginning of a state, and nothing of the old one.
    assert torn.startswith('{\n  "version": 4')
    found = re.search(r'"serial": (\d+)', torn)
    assert found is not None
    assert statetool("list").status == 2
    assert f"`statetool salvage --state {STATE}`" in statetool("list").err
    _salvaged(torn, int(found[1]), statetool)
    _goes_on(applied, folder, statetool)


@pytest.mark.skipif(sys.platform == "win32", reason="it limits the size of files")
def test_no_room_for_the_state(applied: Program, folder: Path, statetool: Statetool) -> None:
    size = Path(STATE).stat().st_size
    limit = size + size // 100
    filling = f"-var=filling={'x' * 1000}"
    assert applied.start(folder, *_APPLY, "-var=name=new", filling, longest_file=limit).wait() != 0
    torn = Path(STATE).read_text()
    assert len(torn) == limit
    # Nor is there room for the state that the program saves instead.
    assert Path("errored.tfstate").stat().st_size == limit
    _salvaged(torn, int(re.findall(r'"serial": (\d+)', torn)[0]), statetool)
    _goes_on(applied, folder, statetool)
