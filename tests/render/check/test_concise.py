"""The concise format: `file:line:column: CODE address message`, as editors and grep read it."""

from __future__ import annotations

import re

from statefmt.render.check import check_concise
from statefmt.render.terminal import Terminal
from tests.render.states import CLEAN, ERROR, HOSTILE, INFO, NO_STATE, SEVERAL, WARNING, state

NARROW = Terminal(40)
LINE = re.compile(r"(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<code>[A-Z]{3}\d{3}) .* \[(error|warning|info)\]")


def test_one_line_each() -> None:
    lines = "\n".join(check_concise([state(ERROR, INFO, NO_STATE, name="s")], NARROW)).split("\n")
    assert lines == [
        f"s:12:9: ADR002 {ERROR.address} Duplicate resource instance in state. {ERROR.detail} [error]",
        "s:1:1: STA007 The file is not in the bytes that OpenTofu would write: it is not in canonical form. [info]",
        "s:1:1: STA001 Unsupported state file format. The file is empty. [error]",
    ]


def test_nothing_is_grouped() -> None:
    lines = "\n".join(check_concise([state(WARNING, WARNING)], NARROW)).split("\n")
    assert len(lines) == 2
    assert len("\n".join(check_concise(SEVERAL, NARROW)).split("\n")) == sum(len(each.findings) for each in SEVERAL)


def test_nothing_found() -> None:
    assert "\n".join(check_concise([CLEAN], NARROW)) == ""


def test_hostile_text_stays_on_its_line() -> None:
    text = "\n".join(check_concise([state(HOSTILE, name="a\x1b[31m\nb.tfstate")], NARROW))
    assert text.isprintable()
    assert LINE.fullmatch(text)


def test_colours_change_nothing_else() -> None:
    coloured = "\n".join(check_concise(SEVERAL, Terminal(colour=True)))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == "\n".join(check_concise(SEVERAL, NARROW))
