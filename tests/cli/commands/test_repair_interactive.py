"""`repair --interactive` asks on a terminal, and writes only what was agreed to."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.editing.conversation import conversation
from tests.cli.states import SAMPLES

PROMPT: Final = "to quit) [s]: "
LINE: Final = "exec statetool repair --interactive"


def _object(key: str, name: str) -> dict[str, Any]:
    return {"index_key": key, "schema_version": 0, "attributes": {"id": name}, "sensitive_attributes": []}


def _resource(name: str, *instances: dict[str, Any]) -> dict[str, Any]:
    provider = 'provider["registry.opentofu.org/hashicorp/aws"]'
    return {"mode": "managed", "type": "t", "name": name, "provider": provider, "instances": list(instances)}


@pytest.fixture
def path(folder: Path) -> Path:
    """A state with three duplicates and an odd status."""
    found = [_resource(name, _object("k", f"{name}1"), _object("k", f"{name}2")) for name in ("a", "b", "c")]
    odd = _resource("d", _object("k", "d1") | {"status": "odd"})
    state = {"version": 4, "terraform_version": "1.9.0", "serial": 5, "lineage": "l", "resources": [*found, odd]}
    path = folder / "terraform.tfstate"
    path.write_text(json.dumps(state, indent=2))
    return path


def _ids(path: Path) -> list[str]:
    resources = json.loads(path.read_text())["resources"]
    return [one["attributes"]["id"] for resource in resources for one in resource["instances"]]


def test_one_by_one_and_the_same_for_all_like_one(path: Path, program: Program, statetool: Statetool) -> None:
    shown = conversation(
        program,
        LINE,
        (PROMPT, "keep=last\n"),
        ("for the 2 other defects like this one? [y/N]: ", "y\n"),
        (PROMPT, "9\n"),
        (PROMPT, "2\n"),
        ("Write this to terraform.tfstate? [y/N]: ", "y\n"),
    )
    assert shown.status == 0, shown
    assert "Defect 4 of 4" in shown.text
    assert "has no choice '9'" in shown.text
    assert "The state no longer has 3 objects or outputs:" in shown.text
    assert 't.a["k"] (id a1)\n' in shown.text
    assert _ids(path) == ["a2", "b2", "c2", "d1"]
    assert statetool("list").status == 0
    assert json.loads(path.read_text())["serial"] == 6


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        ([(PROMPT, "\x03")], 130),
        ([(PROMPT, "\x04")], 130),
        ([(PROMPT, "q\n")], 130),
        ([(PROMPT, "1\n"), ("[y/N]: ", "\x03")], 130),
        ([(PROMPT, "1\n"), ("[y/N]: ", "y\n"), (PROMPT, "1\n"), ("Write this to", "n\n")], 2),
        ([(PROMPT, "1\n"), ("[y/N]: ", "y\n"), (PROMPT, "1\n"), ("Write this to", "\x03")], 130),
    ],
    ids=["Ctrl-C", "end of input", "quit", "Ctrl-C at all", "no", "Ctrl-C at the end"],
)
def test_nothing_is_written(steps: list[tuple[str, str]], status: int, path: Path, program: Program) -> None:
    before = path.read_bytes()
    shown = conversation(program, LINE, *steps)
    assert (shown.status, path.read_bytes()) == (status, before), shown
    assert "nothing was written" in shown.text
    assert not (path.parent / ".terraform.tfstate.lock.info").exists()


def test_the_answers_of_a_refused_repair_are_kept(path: Path, program: Program) -> None:
    before = path.read_bytes()
    shown = conversation(program, LINE, (PROMPT, "2\n"), ("[y/N]: ", "y\n"), (PROMPT, "s\n"))
    assert (shown.status, path.read_bytes()) == (2, before), shown
    assert 'ADR002 t.b["k"] keep=last\n' in shown.text
    assert "without a decision on INS001" in " ".join(shown.text.split())


def test_the_command_for_the_answers_so_far(path: Path, program: Program, statetool: Statetool) -> None:
    """It goes on with the questions that are left; with all of them answered, it writes."""
    one = (PROMPT, "2\n")
    shown = conversation(program, LINE, one, ("[y/N]: ", "y\n"), (PROMPT, "q\n"))
    (line,) = [line.strip() for line in shown.text.splitlines() if "--choose" in line]
    assert shlex.split(line)[:2] == ["statetool", "repair"]
    again = conversation(program, f"exec {line}", (PROMPT, "2\n"), ("Write this to", "y\n"))
    assert again.status == 0, again
    assert _ids(path) == ["a2", "b2", "c2", "d1"]


def test_all_skipped(path: Path, program: Program) -> None:
    """There is still something to repair."""
    before = path.read_bytes()
    shown = conversation(program, LINE, (PROMPT, "s\n"), ("[y/N]: ", "y\n"), (PROMPT, "s\n"))
    assert (shown.status, path.read_bytes()) == (1, before), shown
    assert "terraform.tfstate: nothing was decided" in shown.text
    assert "nothing to repair" not in shown.text


def test_what_is_left_is_counted(path: Path, statetool: Statetool) -> None:
    document = json.loads((SAMPLES / "broken" / "both-levels.tfstate").read_bytes())
    document["resources"] += json.loads(path.read_bytes())["resources"][:2]
    path.write_text(json.dumps(document))
    one = ("repair", "--choose", "ADR002 * keep=first", "--yes")
    done = statetool(*one, "--dry-run")
    assert done.status == 0, done.err
    assert "\nNot decided: 1 defect; `statetool repair` lists them.\n" in done.text
    assert statetool(*one).status == 0
    assert statetool("repair").status == 1
    done = statetool("repair", "--choose", "PRV001 * instances", "--yes")
    assert (done.status, "Not decided" in done.text) == (0, False), done
    assert statetool("repair").status == 0


def test_no_answers_no_command(path: Path, program: Program) -> None:
    shown = conversation(program, LINE, (PROMPT, "q\n"))
    assert "--choose" not in shown.text


def test_a_value_is_asked_for_until_it_is_valid(folder: Path, program: Program) -> None:
    path = folder / "terraform.tfstate"
    path.write_bytes((SAMPLES / "broken" / "missing-provider.tfstate").read_bytes())
    named = 'provider["registry.opentofu.org/hashicorp/aws"].by_region["us-west-2"]'
    steps = [(PROMPT, "2\n"), ("ADDRESS: ", "oops[\n"), (PROMPT, f"provider={named}\n"), ("Write this to", "y\n")]
    shown = conversation(program, LINE, *steps)
    assert shown.status == 0, shown
    assert json.loads(path.read_text())["resources"][0]["instances"][1]["provider"] == named


def test_needs_a_terminal(path: Path, statetool: Statetool) -> None:
    before = path.read_bytes()
    done = statetool("repair", "--interactive", "--yes")
    assert (done.status, "--interactive needs a terminal" in done.err, path.read_bytes()) == (2, True, before)
