"""`repair` works as every edit does: dry run, backup, history, lock, and a kill at any moment loses nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from statefmt.cli.run import system_context
from statefmt.store.local.settled import read_settled
from tests.adversary.runs import Forks
from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES
from tests.cli.test_killed import STATE, _run
from tests.store.local.test_killed import CALLS
from tests.store.local.test_watched import NEEDS_STRACE

TWICE: Final = (SAMPLES / "broken" / "duplicate-instance.tfstate").read_bytes()
CHOICE: Final = ("repair", "--choose", "ADR002 * keep=first", "--yes")


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_dry_run_leaves_no_trace(folder: Path, statetool: Statetool) -> None:
    (folder / STATE).write_bytes(TWICE)
    before = _files(folder)
    assert statetool(*CHOICE, "--dry-run").status == 0
    assert _files(folder) == before


def test_a_refused_repair_leaves_no_trace(folder: Path, statetool: Statetool) -> None:
    (folder / STATE).write_bytes(TWICE)
    before = _files(folder)
    assert statetool(*CHOICE, "--choose", "ADR002 aws_vpc.absent keep=first").status == 2
    assert _files(folder) == before


def test_the_backup_and_the_history_have_the_broken_state(folder: Path, statetool: Statetool) -> None:
    (folder / STATE).write_bytes(TWICE)
    assert statetool(*CHOICE).status == 0
    (backup,) = folder.glob(f"{STATE}.*.backup")
    assert backup.read_bytes() == TWICE
    edits: list[dict[str, Any]] = json.loads(statetool("history", "--format", "json").text)["edits"]
    assert [edit["command"] for edit in edits] == ["repair --choose 'ADR002 * keep=first' --yes"]
    assert statetool("undo", "-y").status == 0
    # The broken state comes back, under a serial that nobody has seen.
    assert (folder / STATE).read_bytes() == TWICE.replace(b'"serial": 5,', b'"serial": 7,')


def test_the_result_in_another_file(folder: Path, statetool: Statetool) -> None:
    (folder / STATE).write_bytes(TWICE)
    assert statetool(*CHOICE, "--out", "new").status == 0
    assert (folder / STATE).read_bytes() == TWICE
    assert statetool("list", "--state", "new").status == 0


@NEEDS_STRACE
def test_killed_at_every_call(tmp_path: Path, forked: Forks) -> None:
    points, seen = 0, set()
    for call in CALLS:
        for number in range(1, 100):
            folder = tmp_path / f"{call}{number}"
            folder.mkdir()
            state = folder / STATE
            state.write_bytes(TWICE)
            if _run(forked, folder, list(CHOICE), call, number) == 0:
                break
            points += 1
            content = read_settled(str(state), system_context())
            assert state.read_bytes() == content
            seen.add(content)
    assert points >= 30
    assert TWICE in seen
    assert len(seen) == 2
