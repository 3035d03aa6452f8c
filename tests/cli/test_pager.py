"""Long output on a terminal goes to a pager, as git does it."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Program
from tests.cli.states import SAMPLES
from tests.cli.terminal import on_terminal

pytestmark = pytest.mark.process

REGIONS = SAMPLES / "v4-regions.tfstate"
LONG = f"statetool show --state {REGIONS}"
TERM = {"TERM": "xterm"}
MARKING = {**TERM, "PAGER": "sed s/^/PAGED:/"}


def test_whole_output_goes_through_the_pager(program: Program) -> None:
    plain = on_terminal(program, f"{LONG} --no-pager", environment=MARKING)
    paged = on_terminal(program, LONG, environment=MARKING)
    assert "PAGED:" not in plain.text
    assert len(plain.text.splitlines()) > 24
    assert paged.text.splitlines() == [f"PAGED:{line}" for line in plain.text.splitlines()]


@pytest.mark.parametrize(
    ("line", "environment"),
    [
        (f"statetool stats {SAMPLES / 'v4-empty.tfstate'}", MARKING),
        (f"{LONG} | cat", MARKING),
        (f"statetool --no-pager show --state {REGIONS}", MARKING),
        (f"statetool upgrade {REGIONS}", MARKING),
        (LONG, {**MARKING, "TERM": "dumb"}),
        (LONG, {**TERM, "PAGER": ""}),
        (LONG, {**TERM, "PAGER": "cat"}),
        (LONG, {**TERM, "PAGER": "no-such-pager -x"}),
    ],
)
def test_no_pager(line: str, environment: dict[str, str], program: Program) -> None:
    """Short output, a pipe, an option, commands that write states, and PAGER itself."""
    shown = on_terminal(program, line, environment=environment)
    assert shown.status == 0
    assert shown.text
    assert "PAGED:" not in shown.text


@pytest.mark.parametrize("option", ["--help", "help"])
def test_help_is_paged(option: str, program: Program) -> None:
    text = on_terminal(program, f"statetool {option}", environment=MARKING).text
    assert text.startswith("PAGED:Usage: statetool")


def test_user_quits_the_pager(program: Program) -> None:
    """The command runs to its end, with its own exit status."""
    broken = SAMPLES / "broken"
    line = f"statetool check --select PRV,ADR,INS,STA {broken}/*.tfstate 2>/dev/null"
    expected = on_terminal(program, f"{line} | cat >/dev/null; {line} >/dev/null", environment=TERM).status
    paged = on_terminal(program, line, environment={**TERM, "PAGER": "head -n 1"})
    assert (paged.status, len(paged.text.splitlines())) == (expected, 1)
    assert expected != 0


def test_less_keeps_colours(program: Program) -> None:
    """less gets the options that git gives it, unless LESS is set."""
    line = "statetool --help"
    assert on_terminal(program, line, environment={**TERM, "PAGER": "printenv LESS"}).text == "FRX\n"
    assert on_terminal(program, line, environment={**TERM, "PAGER": "printenv LESS", "LESS": "M"}).text == "M\n"
