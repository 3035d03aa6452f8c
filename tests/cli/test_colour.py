"""Colour: on a terminal unless NO_COLOR is set, elsewhere only where it is asked for, in results and messages alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import HAND_EDITED, SAMPLES, V3
from tests.cli.terminal import on_terminal

# Each writes what could be coloured: to standard output, or to standard error.
RESULT = "check edited"
EVERY = [RESULT, "upgrade v3 -o new", "list --state broken"]

# Whether there is colour, the options, and NO_COLOR.
ON_TERMINAL = [
    (True, "", None),
    (True, "", ""),
    (False, "", "1"),
    (True, "--color auto", None),
    (False, "--color auto", "1"),
    (True, "--color always", "1"),
    (False, "--color never", None),
]
ELSEWHERE = [
    (False, "", None),
    (False, "--color auto", None),
    (True, "--color always", None),
    (True, "--color always", "1"),
    (False, "--color never", None),
]


@pytest.fixture(autouse=True)
def states(folder: Path) -> None:
    (folder / "edited").write_bytes(HAND_EDITED)
    (folder / "v3").write_bytes(V3)
    (folder / "broken").write_bytes((SAMPLES / "broken" / "duplicate-instance.tfstate").read_bytes())


@pytest.mark.parametrize(("colour", "option", "no_color"), ON_TERMINAL)
def test_on_a_terminal(colour: bool, option: str, no_color: str | None, program: Program) -> None:
    environment = {} if no_color is None else {"NO_COLOR": no_color}
    shown = on_terminal(program, f"statetool {option} {RESULT}", environment=environment)
    assert ("\x1b" in shown.text) == colour, shown


@pytest.mark.parametrize(("colour", "option"), [(False, ""), (False, "--color auto"), (True, "--color always")])
def test_on_a_dumb_terminal(colour: bool, option: str, program: Program) -> None:
    """One that would show the codes of colours: `M-x shell` of Emacs, a serial console."""
    shown = on_terminal(program, f"statetool {option} {RESULT}", environment={"TERM": "dumb"})
    assert ("\x1b" in shown.text) == colour, shown


@pytest.mark.parametrize("command", EVERY)
@pytest.mark.parametrize(("colour", "option"), [(True, ""), (False, "--color never")])
def test_every_stream_on_a_terminal(colour: bool, option: str, command: str, program: Program) -> None:
    shown = on_terminal(program, f"statetool {option} {command}")
    assert ("\x1b" in shown.text) == colour, shown


@pytest.mark.parametrize("command", EVERY)
@pytest.mark.parametrize(("colour", "option", "no_color"), ELSEWHERE)
def test_elsewhere(
    colour: bool, option: str, no_color: str | None, command: str, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    result = statetool(*option.split(), *command.split())
    assert ("\x1b" in result.text + result.err) == colour, result


def test_each_stream_for_itself(program: Program) -> None:
    """Only the one that goes to the terminal has colour."""
    shown = on_terminal(program, "statetool upgrade v3 >state; statetool check edited >findings")
    assert "\x1b[1mv3: format version 3" in shown.text
    assert "\x1b" not in Path("state").read_text("utf-8") + Path("findings").read_text("utf-8")


@pytest.mark.parametrize(
    "command", ["list --state v3", "fmt --stdout edited", "check --format json edited", "--version"]
)
def test_what_programs_read_never_has_colour(command: str, statetool: Statetool) -> None:
    assert b"\x1b" not in statetool("--color", "always", *command.split()).out
