"""`history --prune` deletes the backups of old edits by statetool, and no other file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES
from tests.cli.terminal import on_terminal
from tests.store.local.test_watched import NEEDS_STRACE

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
NAME = "terraform.tfstate"
HISTORY = Path(f".{NAME}.statetool")


@pytest.fixture(autouse=True)
def edited(folder: Path, statetool: Statetool) -> Path:
    """A state after four edits, each with a backup."""
    path = folder / NAME
    path.write_bytes(REGIONS)
    for names in ("main net", "net main", "main net", "net main"):
        assert statetool("mv", *(f"aws_vpc.{name}" for name in names.split())).status == 0
    return path


def _backups() -> dict[int, Path]:
    """The backups by the serial in them."""
    return {json.loads(path.read_bytes())["serial"]: path for path in Path().glob("*.backup")}


def _numbers(statetool: Statetool) -> list[int]:
    return [edit["number"] for edit in json.loads(statetool("history", "--format", "json").out)["edits"]]


def test_old_edits_and_their_backups(edited: Path, statetool: Statetool) -> None:
    state = edited.read_bytes()
    backups = _backups()
    assert sorted(backups) == [58, 59, 60, 61]
    done = statetool("history", "--prune", "--keep", "1", "--yes")
    assert done.status == 0
    for serial in (58, 59, 60):
        assert f"delete {backups[serial]} (" in done.text
    assert "deleted 3 edits and 3 backups; " in done.err
    assert (sorted(_backups()), _numbers(statetool), edited.read_bytes()) == ([61], [4], state)
    assert len(list((HISTORY / "contents").iterdir())) == 1
    # What is left can be undone, and N is kept from now on. Numbers go on.
    assert statetool("undo").status == 0
    assert statetool("undo").status == 0
    assert _numbers(statetool) == [6]


def test_the_room_that_is_freed(statetool: Statetool) -> None:
    """A backup and its content in the history are one file, which takes its room once."""
    sizes = {serial: path.stat().st_size for serial, path in _backups().items()}
    done = statetool("history", "--prune", "--keep", "2", "--dry-run")
    freed = sizes[58] + sizes[59]
    assert f"2 edits and 2 backups; {freed / 1000:.1f} kB freed" in done.text
    # A file that has another name takes its room as before.
    Path("mine").hardlink_to(_backups()[58])
    done = statetool("history", "--prune", "--keep", "2", "--dry-run")
    assert f"2 edits and 2 backups; {sizes[59] / 1000:.1f} kB freed" in done.text


def test_backups_of_edits_that_the_history_dropped_itself(statetool: Statetool) -> None:
    assert statetool("history", "--keep", "2").status == 0
    assert statetool("taint", 'aws_vpc.main["eu-west-1"]').status == 0
    assert (_numbers(statetool), len(_backups())) == ([5, 4], 5)
    assert statetool("history", "--prune", "--yes").status == 0
    assert (_numbers(statetool), sorted(_backups())) == ([5, 4], [61, 62])


def test_an_edit_without_a_valid_time_is_not_old(statetool: Statetool) -> None:
    """Anyone who can write the folder can write the history; in doubt, nothing is deleted."""
    path = HISTORY / "history.json"
    history = json.loads(path.read_text())
    for entry, time in zip(history["entries"], ("", "yesterday", "2020-13-01T00:00:00Z", "2020-01-01"), strict=True):
        entry["time"] = time
    path.write_text(json.dumps(history))
    done = statetool("history", "--prune", "--older-than", "0h", "--yes")
    assert (done.status, done.text) == (0, "nothing to delete\n")
    assert (_numbers(statetool), sorted(_backups())) == ([4, 3, 2, 1], [58, 59, 60, 61])


@pytest.mark.parametrize("kind", ["backups", "contents", "edits and contents"])
def test_whatever_there_is_to_delete_is_asked_about(kind: str, folder: Path, statetool: Statetool) -> None:
    if kind == "backups":
        # The history drops old edits itself, with their contents.
        statetool("history", "--keep", "2")
        statetool("taint", 'aws_vpc.main["eu-west-1"]')
        expected = "3 backups"
    elif kind == "contents":
        statetool("history", "--prune", "--keep", "1", "--yes")
        (HISTORY / "contents" / ("0" * 64)).write_bytes(b"left")
        expected = "leftover contents"
    else:
        for path in _backups().values():
            path.unlink()
        statetool("history", "--keep", "3")
        expected = "1 edit"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    refused = statetool("history", "--prune")
    assert (refused.status, expected in refused.text) == (2, True), refused
    assert "needs confirmation, and there is no terminal to ask on; nothing was deleted" in " ".join(
        refused.err.split()
    )
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert f"deleted {expected}" in statetool("history", "--prune", "--yes").err


@NEEDS_STRACE
def test_deletions_are_durable_before_they_are_forgotten(folder: Path, program: Program) -> None:
    """Otherwise a power failure could bring a backup back that no history knows."""
    line = "strace -y -o calls -e trace=unlinkat,fsync,renameat statetool history --prune --keep 1 --yes"
    assert program.in_shell(line).status == 0
    calls = (folder / "calls").read_text("utf-8").splitlines()
    last = max(number for number, call in enumerate(calls) if "unlinkat" in call and ".backup" in call)
    synced = next(number for number, call in enumerate(calls) if number > last and "fsync" in call)
    assert re.search(rf"fsync\(\d+<{re.escape(str(folder))}>\)", calls[synced])
    assert [call for call in calls[last:synced] if "renameat" in call] == []


def test_by_age(statetool: Statetool) -> None:
    path = HISTORY / "history.json"
    history = json.loads(path.read_text())
    for entry in history["entries"][:2]:
        entry["time"] = "2020-01-01T00:00:00Z"
    path.write_text(json.dumps(history))
    assert statetool("history", "--prune", "--older-than", "30d", "--yes").status == 0
    assert (_numbers(statetool), sorted(_backups())) == ([4, 3], [60, 61])
    # All of them, and the next edit still has a number of its own.
    assert statetool("history", "--prune", "--older-than", "0h", "--yes").status == 0
    assert (_numbers(statetool), _backups()) == ([], {})
    assert statetool("taint", 'aws_vpc.main["eu-west-1"]').status == 0
    assert _numbers(statetool) == [5]


@pytest.mark.parametrize("arguments", [("--dry-run",), ()], ids=["dry run", "without a terminal"])
def test_nothing_is_deleted(arguments: tuple[str, ...], folder: Path, program: Program) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = program("history", "--prune", "--keep", "1", *arguments)
    assert done.status == (0 if arguments else 2)
    assert "nothing was deleted" in done.err
    assert "3 edits and 3 backups" in done.text
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_asks(program: Program) -> None:
    shown = on_terminal(program, "statetool history --prune --keep 1", typed="n\n")
    assert (shown.status, len(_backups())) == (2, 4)
    assert "Delete this for good?" in shown.text
    assert on_terminal(program, "statetool history --prune --keep 1", typed="y\n").status == 0
    assert sorted(_backups()) == [61]


def test_files_of_others_stay(folder: Path, statetool: Statetool) -> None:
    """Also those with the same form of name, and the same content, which `tofu state mv` may have made."""
    backups = _backups()
    others = {
        "terraform.tfstate.backup": REGIONS,
        "terraform.tfstate.1700000000.backup": REGIONS,
        "terraform.tfstate.1700000000-1.backup": b"",
        "other.tfstate.1700000000.backup": REGIONS,
        "before.tfstate": REGIONS,
    }
    for name, content in others.items():
        (folder / name).write_bytes(content)
    # Somebody put another content there.
    backups[59].write_bytes(b"{}")
    done = statetool("history", "--prune", "--keep", "1", "--yes")
    assert done.status == 0
    assert {name: (folder / name).read_bytes() for name in others} == others
    assert backups[59].read_bytes() == b"{}"
    assert f"keep {backups[59]}: changed since the edit" in done.text
    assert "terraform.tfstate.1700000000.backup: not recorded in the history" in " ".join(done.text.split())
    assert not backups[58].exists()


def test_symbolic_links_are_refused(folder: Path, statetool: Statetool) -> None:
    backup = _backups()[58]
    victim = folder / "victim"
    backup.rename(victim)
    backup.symlink_to(victim)
    done = statetool("history", "--prune", "--keep", "1", "--yes")
    assert done.status == 2
    assert "this is a symbolic link, which statetool did not create" in " ".join(done.err.split())
    assert victim.read_bytes() == REGIONS
    assert (_numbers(statetool), len(_backups())) == ([4, 3, 2, 1], 4)


@pytest.mark.parametrize("stamp", ["../victim", "1/../../victim", "*", "", "1700000000.x", "\uff11"])
def test_names_in_the_history_are_not_trusted(stamp: str, folder: Path, statetool: Statetool) -> None:
    """Anyone who can write the folder can write the history."""
    path = HISTORY / "history.json"
    history = json.loads(path.read_text())
    history["entries"][0]["backup"] = stamp
    path.write_text(json.dumps(history))
    planted = folder / f"{NAME}.{stamp}.backup"
    if "/" not in stamp:
        planted.write_bytes(REGIONS)
    assert statetool("history", "--prune", "--keep", "1", "--yes").status == 0
    assert planted.exists() == ("/" not in stamp)
    assert 58 in _backups()


def test_a_backup_that_is_the_state_again(edited: Path, statetool: Statetool) -> None:
    """Both names are one file: deleting the other name must not touch the state, nor drop its lock."""
    backup = _backups()[58]
    edited.unlink()
    edited.hardlink_to(backup)
    assert statetool("history", "--prune", "--keep", "1", "--yes").status == 0
    assert (edited.read_bytes(), backup.exists()) == (REGIONS, False)


def test_beside_a_symbolic_link(edited: Path, folder: Path, statetool: Statetool) -> None:
    """Backups are made in the folder of the path that was given."""
    (folder / "deep").mkdir()
    link = folder / "deep" / "link"
    link.symlink_to(edited)
    assert statetool("taint", 'aws_vpc.main["eu-west-1"]', "--state", str(link)).status == 0
    assert statetool("taint", 'aws_vpc.main["us-west-2"]', "--state", str(link)).status == 0
    assert len(list((folder / "deep").glob("link.*.backup"))) == 2
    assert statetool("history", str(link), "--prune", "--keep", "1", "--yes").status == 0
    assert len(list((folder / "deep").glob("link.*.backup"))) == 1
    assert _backups() == {}


def test_nothing_to_delete(statetool: Statetool) -> None:
    done = statetool("history", "--prune")
    assert (done.status, done.text) == (0, "nothing to delete\n")
