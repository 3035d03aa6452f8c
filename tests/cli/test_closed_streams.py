"""Standard streams that are closed, full, or read no further: a message and a status, never a traceback.

`ulimit -f` is in blocks of 512 bytes; the state that is written is longer than any buffer on the way.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .conftest import Program
from .states import HAND_EDITED, INDENTED, V3, resource, state

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
    (2, "statetool check - <&-", "statetool: standard input is closed: pipe a state into it, or name a file\n"),
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
