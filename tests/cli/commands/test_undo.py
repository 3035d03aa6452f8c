"""`undo` and `history`: every edit of statetool can be taken back, and nothing else is lost by that."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES
from tests.store.local.test_watched import NEEDS_STRACE

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
NAME = "terraform.tfstate"
FOLDER = f".{NAME}.statetool"
MOVE = ("mv", "aws_vpc.main", "aws_vpc.net")
REMOVE = ("rm", "--yes", "aws_vpc.net")


@pytest.fixture(autouse=True)
def written(folder: Path) -> Path:
    path = folder / NAME
    path.write_bytes(REGIONS)
    return path


def _with_serial(serial: int) -> bytes:
    return REGIONS.replace(b'"serial": 58', b'"serial": %d' % serial)


def _edits(statetool: Statetool) -> list[tuple[int, str]]:
    shown = json.loads(statetool("history", "--format", "json").out)
    return [(edit["number"], edit["command"]) for edit in shown["edits"]]


def test_an_edit_is_taken_back(written: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    done = statetool("undo")
    assert done.status == 0
    assert written.read_bytes() == _with_serial(60)
    assert "→ aws_vpc.net to aws_vpc.main (2 instances)" in done.text
    assert "before edit 1 (mv aws_vpc.main aws_vpc.net)" in done.text
    assert "`statetool undo` now reverts this undo" in " ".join(done.err.split())
    assert "--to" not in done.err


def test_an_undo_is_taken_back(written: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    moved = written.read_bytes()
    statetool("undo")
    statetool("undo")
    assert written.read_bytes() == moved.replace(b'"serial": 59', b'"serial": 61')


def test_the_way_further_back(written: Path, statetool: Statetool) -> None:
    """A second undo is a redo: the message names the way to the edit before."""
    statetool(*MOVE)
    statetool(*REMOVE)
    said = " ".join(statetool("undo", NAME).err.split())
    assert f"`statetool undo --state {NAME}` now reverts this undo; " in said
    way = f"`statetool undo --to 1 --state {NAME}` also undoes edit 1 (mv aws_vpc.main aws_vpc.net)"
    assert way in said
    assert statetool(*way.split("`")[1].split()[1:]).status == 0
    assert written.read_bytes() == _with_serial(62)
    assert "now reverts" not in statetool("undo", "--dry-run").err


def test_a_change_of_format_version_is_shown(written: Path, statetool: Statetool) -> None:
    written.write_bytes((SAMPLES / "v3-legacy.tfstate").read_bytes())
    assert statetool("upgrade", "--registry", "keep", "-i").status == 0
    assert "~ format version: 4 → 3\n" in statetool("undo").text
    assert "~ format version: 3 → 4\n" in statetool("undo").text


@pytest.mark.parametrize("state", [(NAME,), ("--state", NAME), ()])
def test_several_edits_are_taken_back(state: tuple[str, ...], written: Path, statetool: Statetool) -> None:
    for command in (MOVE, REMOVE, ("fmt",)):
        statetool(*command)
    assert statetool("undo", "--to", "1", *state).status == 0
    assert written.read_bytes() == _with_serial(61)
    to = " ".join(["undo", "--to", "1", *state])
    assert _edits(statetool) == [(3, to), (2, "rm --yes aws_vpc.net"), (1, "mv aws_vpc.main aws_vpc.net")]


@pytest.mark.parametrize(
    ("sample", "command"),
    [("v3-legacy", ["upgrade", "--in-place", "--registry", "keep"]), ("v4-hand-edited", ["fmt"])],
    ids=["upgrade", "fmt"],
)
def test_layout_and_format_come_back(sample: str, command: list[str], written: Path, statetool: Statetool) -> None:
    before = (SAMPLES / f"{sample}.tfstate").read_bytes()
    written.write_bytes(before)
    assert statetool(*command, NAME).status == 0
    after = written.read_bytes()
    assert statetool("undo").status == 0
    old = json.loads(before)["serial"]
    assert written.read_bytes() == before.replace(b'"serial": %d' % old, b'"serial": %d' % (old + 1), 1)
    assert statetool("undo").status == 0
    assert written.read_bytes() == after.replace(b'"serial": %d' % old, b'"serial": %d' % (old + 2), 1)


def test_with_a_serial_above_both(written: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    written.write_bytes(written.read_bytes().replace(b'"serial": 59', b'"serial": 12'))
    assert statetool("undo", "--discard-changes").status == 0
    assert written.read_bytes() == _with_serial(59)


def test_what_something_else_did_is_not_lost(written: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    others = written.read_bytes().replace(b'"serial": 59', b'"serial": 60')
    written.write_bytes(others)
    refused = statetool("undo")
    assert refused.status == 2
    assert "something else has changed the state since edit 1" in " ".join(refused.err.split())
    assert written.read_bytes() == others
    assert "Something else has changed the state since edit 1." in statetool("history").text
    assert statetool("undo", "--discard-changes").status == 0
    assert written.read_bytes() == _with_serial(61)
    # That, too, can be taken back.
    assert statetool("undo").status == 0
    assert written.read_bytes() == others.replace(b'"serial": 60', b'"serial": 62')


def test_another_state_in_its_place_is_not_replaced(written: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    lineage = json.loads(written.read_bytes())["lineage"]
    others = written.read_bytes().replace(lineage.encode(), b"99999999-2222-3333-4444-555555555555")
    written.write_bytes(others)
    refused = statetool("undo", "--discard-changes")
    assert refused.status == 2
    text = " ".join(refused.err.split())
    assert "nothing to undo: the recorded edits are those of another state that was in this place" in text
    assert "`statetool history --content 1` prints that state" in text
    assert written.read_bytes() == others
    # Its own edits are undone, and no earlier ones.
    assert statetool("mv", "aws_vpc.net", "aws_vpc.main").status == 0
    assert statetool("undo", "--to", "1").status == 2
    assert statetool("undo").status == 0
    assert written.read_bytes() == others.replace(b'"serial": 59', b'"serial": 61')


def test_a_dry_run_and_another_file(written: Path, folder: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    moved = written.read_bytes()
    assert statetool("undo", "--dry-run").status == 0
    assert statetool("undo", "--out", "new").status == 0
    assert (written.read_bytes(), (folder / "new").read_bytes()) == (moved, _with_serial(60))
    assert len(_edits(statetool)) == 1


def test_the_content_before_an_edit(statetool: Statetool) -> None:
    statetool(*MOVE)
    statetool(*REMOVE)
    assert statetool("history", "--content", "1").out == REGIONS


def test_only_so_many_are_kept(folder: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    assert statetool("history", "--keep", "3").status == 0
    for _ in range(4):
        statetool("undo")
    assert [number for number, _ in _edits(statetool)] == [5, 4, 3]
    assert len(list((folder / FOLDER / "contents").iterdir())) == 3
    assert statetool("undo", "--to", "2").status == 2


def test_private_and_not_for_a_repository(folder: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    for path in [folder / FOLDER, *(folder / FOLDER).rglob("*")]:
        assert oct(path.stat().st_mode & 0o777) == oct(0o700 if path.is_dir() else 0o600), path
    assert (folder / FOLDER / ".gitignore").read_bytes() == b"*\n"


def test_a_backup_costs_nothing_and_may_go(written: Path, folder: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    [backup] = folder.glob("*.backup")
    [kept] = (folder / FOLDER / "contents").iterdir()
    assert kept.samefile(backup)
    backup.unlink()
    statetool("history")
    assert [path.suffix for path in (folder / FOLDER / "contents").iterdir()] == [".gz"]
    assert statetool("undo").status == 0
    assert written.read_bytes() == _with_serial(60)


def test_a_backup_that_became_the_state(written: Path, folder: Path, statetool: Statetool) -> None:
    """Writing over it must not write over the content that the history has."""
    statetool(*MOVE)
    [backup] = folder.glob("*.backup")
    backup.rename(written)
    assert statetool(*MOVE).status == 0
    assert statetool("history", "--content", "1").out == REGIONS
    assert statetool("undo").status == 0
    assert written.read_bytes() == _with_serial(60)


def _damage_content(folder: Path) -> None:
    [kept] = (folder / FOLDER / "contents").iterdir()
    kept.write_bytes(b"{}")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no history": (lambda folder: shutil.rmtree(folder / FOLDER), "nothing to undo: no edits by statetool"),
    "a content is gone": (lambda folder: shutil.rmtree(folder / FOLDER / "contents"), "cannot read the content before"),
    "a content was changed": (_damage_content, "was changed after it was stored"),
    "no list": (lambda folder: (folder / FOLDER / "history.json").write_text("[1"), "the history is damaged"),
    "a newer format": (
        lambda folder: (folder / FOLDER / "history.json").write_text('{"format_version": "2.0"}'),
        "from a newer statetool",
    ),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_damaged(case: str, written: Path, folder: Path, statetool: Statetool) -> None:
    damage, message = DAMAGE[case]
    statetool(*MOVE)
    before = written.read_bytes()
    damage(folder)
    done = statetool("undo")
    assert done.status == 2
    assert message in " ".join(done.err.split())
    assert written.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("undo", "-"), "standard input: it has no history"),
        (("history", "-"), "standard input has no history"),
        (("undo", "none"), "nothing to undo: no edits by statetool"),
        (("undo", "--to", "7"), "there is no edit 7; the history has edits 1 to 1"),
        (("undo", "--expect-serial", "58"), "the serial is 59, not 58"),
        (("undo", NAME, "--state", NAME), "name the state once"),
        (("history", "--content", "7"), "there is no edit 7"),
        (("history", "--content", "1", "--keep", "2"), "cannot be combined with --keep, --prune or --format"),
        (("history", "--keep", "0"), "0 is not in the range"),
        (("history", "--older-than", "30d"), "requires --prune"),
        (("history", "--dry-run"), "requires --prune"),
        (("history", "--prune", "--older-than", "soon"), "is not an age: write 12h, 30d or 8w"),
        (("history", "--prune", "--older-than", "30d", "--keep", "2"), "cannot be combined with --keep"),
        (("history", "--prune", "--format", "json"), "cannot be combined with --prune"),
        (("history", "--content", "1", "--prune"), "cannot be combined with"),
    ],
)  # fmt: skip
def test_refused(arguments: tuple[str, ...], message: str, written: Path, statetool: Statetool) -> None:
    statetool(*MOVE)
    before = written.read_bytes()
    done = statetool(*arguments)
    assert done.status == 2
    assert message in " ".join(done.err.split())
    assert written.read_bytes() == before


def test_nothing_written_yet(statetool: Statetool) -> None:
    done = statetool("history")
    assert (done.status, done.out) == (0, b"")
    assert "no edits by statetool are recorded" in " ".join(done.err.split())


def test_shown_as_a_table(program: Program) -> None:
    program("mv", "aws_vpc.main", 'aws_vpc.net["\x1b[31m"]')
    program(*MOVE)
    heading, row = program("history").text.splitlines()
    assert heading.split() == ["edit", "time", "user", "command"]
    assert row.split()[0] == "1"
    assert row.endswith("mv aws_vpc.main aws_vpc.net")


@NEEDS_STRACE
def test_nothing_else_of_the_file_is_opened_under_the_lock(written: Path, folder: Path, program: Program) -> None:
    """A content may be the state itself, when a backup was moved there: closing it would drop the lock."""
    program(*MOVE)
    [backup] = folder.glob("*.backup")
    backup.rename(written)
    line = "strace -y -o calls -e trace=openat,fcntl statetool undo --discard-changes"
    assert program.in_shell(line).status == 0
    calls = (folder / "calls").read_text("utf-8").splitlines()
    locked = next(number for number, call in enumerate(calls) if "SETLK" in call and "F_WRLCK" in call)
    read = [number for number, call in enumerate(calls) if re.search(r'contents>, "\w{64}.*O_RDONLY', call)]
    assert read
    assert max(read) < locked
