"""Workflow commands: as the runner of GitHub Actions takes them apart again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from statefmt.lint.checked import CheckedState
from statefmt.model.findings import NO_FIX, Finding, Fix, Severity
from statefmt.render.check_reports import check_github
from statefmt.render.findings import message
from statefmt.render.terminal import one_line
from tests.render.states import CLEAN, ERROR, HOSTILE, INFO, NO_STATE, SEVERAL, WARNING, hundred, state

FOLDER = Path("/srv/project")
TEXT = f"{ERROR.summary}. {ERROR.detail}"

# The state, the command, and what the case shows.
COMMANDS = [
    (
        state(ERROR),
        f'::error file=terraform.tfstate,line=12,col=9,title=ADR002 aws_s3_bucket.logs["us-west-2"]::{TEXT}',
        "an error",
    ),
    (
        state(replace(WARNING, address="a.b", detail="", fix=Fix.of("Do it."))),
        "::warning file=terraform.tfstate,line=1234,col=11,title=PRV001 a.b::Provider field conflict in state%0ADo it.",
        "a warning with what to do",
    ),
    (
        state(replace(INFO, detail="", fix=NO_FIX)),
        "::notice file=terraform.tfstate,line=1,col=1,title=STA007::Not in canonical form",
        "a note about the whole file",
    ),
    (
        CheckedState("envs/a,b:c%.tfstate", (NO_STATE,)),
        "::error file=envs/a%2Cb%3Ac%25.tfstate,title=STA001::Unsupported state file format. The file is empty.",
        "no place, and a path with all that is escaped",
    ),
    (
        CheckedState("<standard input>", (NO_STATE,)),
        "::error title=STA001::Unsupported state file format. The file is empty.",
        "standard input is no file of the repository",
    ),
    (
        state(replace(ERROR, address='a.b["1%,\r\n:"]', summary="", detail="100%, really:\r\nyes")),
        r'::error file=terraform.tfstate,line=12,col=9,title=ADR002 a.b["1%25%2C\x0d\x0a%3A"]::100%25, really: yes',
        "commas and colons are escaped in properties only",
    ),
]


@pytest.mark.parametrize(("given_state", "command", "shows"), COMMANDS, ids=[case[2] for case in COMMANDS])
def test_commands(given_state: CheckedState, command: str, shows: str) -> None:
    assert "\n".join(check_github([given_state], FOLDER)) == command


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a/b", "a/b"),
        ("./a//b", "a/b"),
        ("/srv/project/a/b", "a/b"),
        ("../b", "../b"),
        ("/elsewhere/b", "/elsewhere/b"),
        ("a\x1b\udcff", "a\\x1b\\udcff"),
    ],
)
def test_paths(name: str, path: str) -> None:
    assert "\n".join(check_github([state(ERROR, name=name)], FOLDER)).startswith(f"::error file={path},line=12,")


def test_nothing_found() -> None:
    assert "\n".join(check_github([CLEAN], FOLDER)) == ""


def test_one_line_a_finding() -> None:
    lines = "\n".join(check_github([*SEVERAL, hundred(), state(HOSTILE)], FOLDER)).splitlines()
    assert len(lines) == 107
    assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in lines)


def taken_apart(line: str) -> tuple[str, dict[str, str], str]:
    """A command as the runner reads it. Source: `actions/runner`, `ActionCommand.cs`."""
    _, head, text = line.split("::", 2)
    command, _, listed = head.partition(" ")
    properties = dict(part.split("=", 1) for part in listed.split(","))
    return command, {name: unescaped(value) for name, value in properties.items()}, unescaped(text)


def unescaped(value: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        value = value.replace(escape, character)
    return value


@given(st.text(), st.text(), st.text())
def test_any_text_stays_where_it_belongs(address: str, detail: str, name: str) -> None:
    finding = Finding("ADR001", Severity.ERROR, "Summary", detail, address)
    (line,) = "\n".join(check_github([CheckedState(f"a{name}", (finding,))], FOLDER)).splitlines()
    command, properties, text = taken_apart(line)
    assert (command, list(properties)) == ("error", ["file", "title"])
    assert properties["title"].startswith("ADR001")
    assert text == one_line(message(finding))
