"""`upgrade -o OUT`: a new private file, or with --yes an existing one replaced after a backup."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import HAND_EDITED, INDENTED

Tree = Callable[[], dict[str, bytes]]


@pytest.fixture(autouse=True)
def state(folder: Path) -> None:
    (folder / "state").write_bytes(HAND_EDITED)


@pytest.mark.parametrize("option", ["-o", "--out", "--output"])
@pytest.mark.parametrize("yes", [[], ["--yes"]])
def test_new_file(option: str, yes: list[str], statetool: Statetool, tree: Tree) -> None:
    result = statetool("upgrade", "state", option, "new", *yes)
    assert (result.status, result.out) == (0, b"")
    assert result.err.endswith("\n  written to new\n")
    assert tree() == {"state": HAND_EDITED, "new": INDENTED}
    assert oct(Path("new").stat().st_mode) == oct(0o100600)


def test_printed(statetool: Statetool, tree: Tree) -> None:
    """Whoever forgot --in-place reads that the file is as before, and whoever asked for `-` reads no advice."""
    result = statetool("upgrade", "state")
    line = "  printed to standard output; state was not written; add --in-place to write the result to it\n"
    assert (result.status, result.out) == (0, INDENTED)
    assert result.err.replace("\n  it\n", " it\n").endswith(line)
    assert statetool("upgrade", "state", "-o", "-").err.endswith(
        "\n  printed to standard output; state was not written\n"
    )
    assert tree() == {"state": HAND_EDITED}


def test_standard_input_is_no_file_to_write(program: Program) -> None:
    result = program("upgrade", "-", stdin=HAND_EDITED)
    assert (result.status, result.out) == (0, INDENTED)
    assert "not written" not in result.err


def test_file_that_exists(statetool: Statetool, tree: Tree) -> None:
    Path("old").write_bytes(b"old")
    result = statetool("upgrade", "state", "-o", "old")
    assert (result.status, result.out) == (2, b"")
    message = "statetool: old: the file already exists; --yes replaces it and keeps a backup\n"
    assert result.err.replace("\n  ", " ") == message
    assert tree() == {"state": HAND_EDITED, "old": b"old"}


@pytest.mark.parametrize("option", ["--yes", "-y"])
def test_file_that_exists_is_replaced(option: str, statetool: Statetool, tree: Tree) -> None:
    Path("old").write_bytes(b"old")
    Path("old").chmod(0o640)
    inode = Path("old").stat().st_ino
    before = int(time.time())
    assert statetool("upgrade", "state", "-o", "old", option).status == 0
    (backup,) = Path().glob("old.*.backup")
    assert before <= int(backup.name.split(".")[1]) <= time.time()
    assert tree() == {"state": HAND_EDITED, "old": INDENTED, backup.name: b"old"}
    assert (Path("old").stat().st_ino, oct(Path("old").stat().st_mode)) == (inode, oct(0o100640))
    assert oct(backup.stat().st_mode) == oct(0o100600)


def test_file_that_is_the_same_already(statetool: Statetool, tree: Tree) -> None:
    Path("old").write_bytes(INDENTED)
    assert statetool("upgrade", "state", "-o", "old", "--yes").status == 0
    assert tree() == {"state": HAND_EDITED, "old": INDENTED}


def test_onto_itself(statetool: Statetool, tree: Tree) -> None:
    assert statetool("upgrade", "state", "-o", "state").status == 2
    assert tree() == {"state": HAND_EDITED}
    assert statetool("upgrade", "state", "-o", "state", "--yes").status == 0
    assert sorted(tree().values()) == sorted([HAND_EDITED, INDENTED])


# What stands under OUT, and the message.
REFUSED: list[tuple[str, str, str]] = [
    ("a folder", "folder", "cannot write to a folder; name a file, a pipe or - instead"),
    ("a folder that does not exist", "missing/new", "there is no such file or folder"),
    ("below a file", "state/new", "Not a directory"),
    ("a link to nowhere", "link", "the file already exists"),
    ("a name that is too long", "x" * 300, "File name too long"),
]


@pytest.mark.parametrize("yes", [[], ["--yes"]], ids=["", "yes"])
@pytest.mark.parametrize(("out", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_no_place_for_a_file(out: str, message: str, yes: list[str], statetool: Statetool, tree: Tree) -> None:
    Path("folder").mkdir()
    Path("link").symlink_to("nowhere")
    before = tree()
    result = statetool("upgrade", "state", "-o", out, *yes)
    assert (result.status, result.out) == (2, b"")
    assert " ".join(result.err.split()).startswith(f"statetool: {out}: ")
    assert message in " ".join(result.err.split())
    assert tree() == before


def test_pipe(statetool: Statetool, tree: Tree) -> None:
    """Nobody reads from it, so writing to it would wait forever."""
    os.mkfifo("pipe")
    for yes in ([], ["--yes"]):
        assert statetool("upgrade", "state", "-o", "pipe", *yes).status == 2
    assert tree() == {"state": HAND_EDITED, "pipe": b""}


def test_failed_upgrade_leaves_no_file(statetool: Statetool, tree: Tree) -> None:
    Path("state").write_bytes(b"{")
    assert statetool("upgrade", "state", "-o", "new").status == 2
    assert tree() == {"state": b"{"}
