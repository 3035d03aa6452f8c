"""Standard streams that are closed, full, or read no further: a message and a status, never a traceback.

`ulimit -f` is in blocks of 512 bytes; the state that is written is longer than any buffer on the way.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.cli.states import HAND_EDITED, INDENTED, V3, resource, state

NAME = "a_name_that_is_as_long_as_names_hardly_ever_are"
MANY = state(resource("aws_instance", NAME, *({"index_key": number} for number in range(1500))))
THREE = state(resource("aws_instance", "web", *({"index_key": number} for number in range(3))))

# Exit status, what is run, and what standard error holds.
CLOSED = [
    (2, "statetool list --state three >&-", "statetool: standard output: it is closed\n"),
    (2, "statetool check good >&-", "statetool: standard output: it is closed\n"),
    (2, "statetool upgrade v3 >&-", "statetool: standard output: it is closed\n"),
    (2, "statetool fmt --stdout edited >&-", "statetool: standard output: it is closed\n"),
    (2, "statetool fmt --check edited >&-", "statetool: standard output: it is closed\n"),
    (2, "statetool check missing >&-", "statetool: missing: there is no such file\n"),
    (2, "statetool check - <&-", "statetool: standard input is closed: pipe a state into it or name a file\n"),
    (2, "statetool check - 0>file", "statetool: standard input: Bad file descriptor\n"),
    (2, "statetool list --state three >/dev/full", "statetool: standard output: No space left on device\n"),
    (2, "statetool check good >/dev/full", "statetool: standard output: No space left on device\n"),
    (2, "statetool upgrade v3 >/dev/full", "statetool: standard output: No space left on device\n"),
    (2, "statetool fmt --check edited >/dev/full", "statetool: standard output: No space left on device\n"),
    (2, "statetool --help >/dev/full", "statetool: standard output: No space left on device\n"),
    (2, "statetool --version >/dev/full", "statetool: standard output: No space left on device\n"),
    (0, "statetool fmt good >&- <&-", ""),
    (0, "statetool list --state good <&-", ""),
    (0, "statetool list --state good 2>&-", ""),
    (2, "statetool list --state missing 2>&-", ""),
    (0, "statetool fmt edited >&- 2>&- <&-", ""),
    (0, "statetool upgrade v3 --in-place >&- 2>&- <&-", ""),
]


@pytest.fixture(autouse=True)
def states(folder: Path) -> None:
    for name, content in {"many": MANY, "three": THREE, "good": INDENTED, "edited": HAND_EDITED, "v3": V3}.items():
        (folder / name).write_bytes(content)


@pytest.mark.parametrize(("status", "line", "err"), CLOSED, ids=[case[1] for case in CLOSED])
def test_stream(status: int, line: str, err: str, program: Program) -> None:
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    assert program.in_shell(line) == (status, b"", err)


def test_messages_never_get_into_the_output(program: Program) -> None:
    assert program.in_shell("statetool upgrade good 2>&-") == (0, INDENTED, "")


@pytest.mark.parametrize("buffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "command", ["list --state many", "providers --tree --resources many", "show --state many", "upgrade many"]
)
def test_output_that_is_cut_off(command: str, buffered: str, program: Program, folder: Path) -> None:
    """A disk that fills up in the middle of a result: some of it is there, so the status must tell."""
    result = program.in_shell(f"ulimit -f 64; statetool {command} >out", environment={"PYTHONUNBUFFERED": buffered})
    assert result == (2, b"", "statetool: standard output: File too large\n")
    assert (folder / "out").stat().st_size == 64 * 512


@pytest.mark.parametrize(
    "command",
    [
        "graph many",
        "outputs good",
        "providers many",
        "stats many",
        "list --state many",
        "show --state many",
        "upgrade v3",
        "downgrade --for 1.8 v3",
        "releases",
        "releases --format json",
        "fmt --stdout edited",
        "check good",
        "--help",
    ],
)
def test_reader_that_has_gone(command: str, program: Program) -> None:
    """No message, and the status of a program that the closed pipe ends."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert program.to(writer, *command.split()) == (141, b"", "")
    finally:
        os.close(writer)


def test_reader_that_takes_only_the_beginning(program: Program) -> None:
    result = program.in_shell("{ statetool list --state many; echo $? >status; } | head -1; cat status")
    assert result == (0, f"aws_instance.{NAME}[0]\n141\n".encode(), "")


OPEN = ""
STREAMS = [(OPEN, "<&-", "</dev/full"), (OPEN, ">&-", ">/dev/full"), (OPEN, "2>&-", "2>/dev/full")]
COMBINATIONS = [" ".join(filter(None, each)) for each in itertools.product(*STREAMS)]
# What looks at a state, with the exit status where standard output can be written.
READING = [
    ("list --state three", 0),
    ("outputs --format json good", 0),
    ("providers three", 0),
    ("stats three", 0),
    ("graph three", 0),
    ("check good", 0),
    ("check --select STA007 --fail-on info edited", 1),
    ("diff three good", 1),
    ("fmt --check edited", 1),
    ("fmt --stdout edited", 0),
    ("upgrade v3", 0),
    ("mv --dry-run --state three aws_instance.web aws_instance.other", 0),
    ("mv --state three -o - aws_instance.web aws_instance.other", 0),
    ("list --state missing", 2),
    ("mv --state three aws_instance.nosuch aws_instance.other", 2),
]
# What writes a state, with what it writes to standard output besides.
WRITING = [
    ("mv --state three aws_instance.web aws_instance.other", "three", True),
    ("fmt edited", "edited", False),
    ("upgrade -i v3", "v3", False),
]
_SOME = 6
_PARTS = 5
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


def _loses_output(streams: str) -> bool:
    return ">&-" in streams.split() or ">/dev/full" in streams.split()


@needs_full
@pytest.mark.parametrize(
    ("streams", "reading"),
    [
        # Each combination with some of the commands, and each command with some of the combinations.
        pytest.param(streams, READING[part::_PARTS], marks=[pytest.mark.slow] if (number + part) % _PARTS else [])
        for number, streams in enumerate(each for each in COMBINATIONS if not each.startswith("</dev/full"))
        for part in range(_PARTS)
    ],
)
def test_reading_in_every_combination(
    streams: str, reading: list[tuple[str, int]], program: Program, tree: Callable[[], dict[str, bytes]]
) -> None:
    before = tree()
    lines = "; ".join(f"statetool {command} {streams}; echo $? >&9" for command, _ in reading)
    program.in_shell(f"exec 9>statuses; {lines}")
    statuses = Path("statuses").read_text(encoding="utf-8").split()
    Path("statuses").unlink()
    expected = [(command, 2 if _loses_output(streams) else status) for command, status in reading]
    assert [(command, int(status)) for (command, _), status in zip(reading, statuses, strict=True)] == expected
    assert tree() == before


@needs_full
@pytest.mark.parametrize(
    ("streams", "command", "name", "prints"),
    [
        # All combinations for one command, and some for the others, which end in the same way.
        pytest.param(streams, *case, marks=[pytest.mark.slow] if number % _SOME and case is not WRITING[0] else [])
        for case in WRITING
        for number, streams in enumerate(COMBINATIONS)
    ],
)
def test_writing_in_every_combination(
    command: str, name: str, prints: bool, streams: str, program: Program, folder: Path
) -> None:
    """The work is done, and standard error says so wherever it can be written, before standard output fails."""
    before = (folder / name).read_bytes()
    result = program.in_shell(f"statetool {command} {streams}")
    assert result.status == (2 if prints and _loses_output(streams) else 0)
    (backup,) = folder.glob(f"{name}.*.backup")
    assert backup.read_bytes() == before != (folder / name).read_bytes()
    assert not (folder / f".{name}.statetool.journal").exists()
    if "2>" in streams:
        assert result.err == ""
        return
    said = " ".join(result.err.split())
    assert "is kept in" in said
    assert backup.name in said
    assert "nothing was" not in said
    if result.status:
        assert said.index("is kept in") < said.index("standard output: ")
        assert said.endswith("; three was written nevertheless")


def test_written_is_said_to_whoever_reads_no_further(program: Program, folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = program.to(writer, "mv", "--state", "three", "aws_instance.web", "aws_instance.other")
    finally:
        os.close(writer)
    (backup,) = folder.glob("three.*.backup")
    assert (done.status, done.out) == (141, b"")
    assert " ".join(done.err.split()) == f"three: written; the previous state is kept in {backup.name}"
    assert backup.read_bytes() == THREE


@needs_full
def test_another_file_is_written(program: Program, folder: Path) -> None:
    done = program.in_shell("statetool mv --state three -o new aws_instance.web aws_instance.other >/dev/full")
    assert done.status == 2
    assert done.err.startswith("new: written\nstatetool: standard output: No space left on device;")
    assert b'"other"' in (folder / "new").read_bytes()
    assert (folder / "three").read_bytes() == THREE


def test_reader_of_messages_that_has_gone(program: Program, folder: Path) -> None:
    """What was done is done, and findings are findings: the status is not that of a closed pipe."""
    line = "{ %s; echo $? >status; } 2>&1 >out | true; cat status"
    for command, status in (("upgrade -i v3", 0), ("list --state missing", 2), ("fmt --check edited", 1)):
        assert program.in_shell(line % f"sleep 0.3; statetool {command}").text == f"{status}\n"


def test_upgrade_of_what_is_canonical_says_that_nothing_was_written(program: Program, folder: Path) -> None:
    done = program("upgrade", "-i", "good")
    assert done.err.endswith("\n  nothing to change; nothing was written\n")
    assert not list(folder.glob("*.backup"))
