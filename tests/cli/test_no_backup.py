"""`--no-backup` and `--backup=-`: no file beside the state, and undo works all the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration
from tests.cli.states import SAMPLES

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
NAME = "terraform.tfstate"
MOVE = ("mv", "aws_vpc.main", "aws_vpc.net")


@pytest.fixture(autouse=True)
def state(folder: Path) -> Path:
    path = folder / NAME
    path.write_bytes(REGIONS)
    return path


@pytest.mark.parametrize("option", [("--no-backup",), ("--backup=-",), ("--backup", "-")])
@pytest.mark.parametrize(
    "command",
    [MOVE, ("fmt", "--style", "compact"), ("upgrade", "-i", "--style", "compact")],
    ids=["mv", "fmt", "upgrade"],
)
def test_only_the_history_keeps_it(
    command: tuple[str, ...], option: tuple[str, ...], folder: Path, state: Path, statetool: Statetool
) -> None:
    done = statetool(*command, *option)
    assert (done.status, "kept in" in done.err) == (0, False)
    assert state.read_bytes() != REGIONS
    assert sorted(path.name for path in folder.iterdir()) == [f".{NAME}.statetool", NAME]
    assert statetool("history", "--content", "1").out == REGIONS
    assert statetool("undo", *option).status == 0
    assert json.loads(state.read_bytes())["resources"] == json.loads(REGIONS)["resources"]


def test_a_file_that_out_replaces(folder: Path, statetool: Statetool) -> None:
    (folder / "new").write_bytes(REGIONS)
    assert statetool(*MOVE, "--out", "new", "--yes", "--no-backup").status == 0
    assert list(folder.glob("*.backup")) == []
    assert statetool("history", "new", "--content", "1").out == REGIONS


def test_plain_copies_in_the_history_are_still_named(folder: Path, statetool: Statetool) -> None:
    (folder / "keys.tf.json").write_text(json.dumps({"terraform": {"encryption": configuration("new")}}))
    done = statetool("encrypt", "-i", "--no-backup", "--encryption-config", ".")
    assert done.status == 0, done.err
    said = " ".join(done.err.split())
    assert f"The history (.{NAME}.statetool) is in plain text. Delete it once" in said


def test_not_both(statetool: Statetool, state: Path) -> None:
    done = statetool(*MOVE, "--no-backup", "--backup", "kept")
    assert (done.status, state.read_bytes()) == (2, REGIONS)
    assert "cannot be combined with --backup" in done.err


@pytest.mark.parametrize("command", [("upgrade",), MOVE], ids=["upgrade", "mv"])
def test_a_device_or_a_pipe(command: tuple[str, ...], folder: Path, program: Program) -> None:
    expected = program(*command, "-o", "-").out
    assert expected
    assert program(*command, "-o", "/dev/null").status == 0
    assert Path("/dev/null").is_char_device()
    assert program.in_shell(f"mkfifo pipe; cat pipe > read & statetool {' '.join(command)} -o pipe && wait").status == 0
    assert (folder / "read").read_bytes() == expected
    assert program.in_shell(f"statetool {' '.join(command)} -o /dev/fd/3 3>&1 >/dev/null | cat").out == expected
    for name in ("/dev/stdout", "/dev/fd/1"):
        assert program(*command, "-o", name).out == expected
        # A file, of which something is written already.
        assert program.in_shell(f"(echo x; statetool {' '.join(command)} -o {name}) > all").status == 0
        assert (folder / "all").read_bytes() == b"x\n" + expected
    assert sorted(path.name for path in folder.iterdir()) == ["all", "pipe", "read", NAME]


def test_a_device_that_is_full(program: Program) -> None:
    done = program("upgrade", "-o", "/dev/full")
    assert done.status == 2
    assert "/dev/full: No space left on device" in done.err


def test_the_reader_leaves(folder: Path, program: Program) -> None:
    big = REGIONS.rstrip()[:-1] + b' , "x": "' + b"y" * 500_000 + b'"}\n'
    (folder / NAME).write_bytes(big)
    done = program.in_shell("mkfifo pipe; head -c 9 pipe > read & statetool mv aws_vpc.main aws_vpc.net -o pipe")
    assert done.status == 2
    assert "pipe: the reader closed the pipe before the end" in done.err


@pytest.mark.parametrize(("make", "what"), [("mkdir place", "a folder"), ("mknod place b 7 99", "a block device")])
def test_what_cannot_be_written(make: str, what: str, program: Program) -> None:
    if program.in_shell(make).status:
        pytest.skip("only root may do this")
    done = program(*MOVE, "-o", "place")
    assert done.status == 2
    assert f"place: cannot write to {what}; name a file, a pipe or - instead" in " ".join(done.err.split())
