"""Wrong use: exit status 2, how it is meant on standard error, and nothing done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import HAND_EDITED

# What is run, and what the last line of the message says.
CASES = [
    ("frobnicate", "Error: No such command 'frobnicate'."),
    ("--frobnicate", "Error: No such option: --frobnicate"),
    ("check --frobnicate", "Error: No such option: --frobnicate"),
    ("check --select", "Error: Option '--select' requires an argument."),
    # An option is no value; else `-o --dry-run` would write a file of this name.
    ("check --select --exit-zero state", "Error: Option '--select' requires an argument."),
    ("list --format --state=state", "Error: Option '--format' requires an argument."),
    ("mv --state state -o --dry-run a.b a.c", "Error: Option '-o' requires an argument."),
    ("upgrade state --output -h", "Error: Option '--output' requires an argument."),
    ("list --encryption --var x=y --state state", "Error: Option '--encryption' requires an argument."),
    ("check --select XYZ state", "Error: Invalid value for --select/--ignore: no rule has a code that starts with"),
    ("check --ignore PRV,XYZ state", "Error: Invalid value for --select/--ignore: no rule has a code that starts with"),
    ("check --fail-on never state", "Error: Invalid value for '--fail-on': 'never' is not one of"),
    ("check --format yaml state", "Error: Invalid value for '--format': 'yaml' is not one of"),
    ("list --format yaml --state state", "Error: Invalid value for '--format': 'yaml' is not one of"),
    ("upgrade --style wide state", "Error: Invalid value for '--style': 'wide' is not one of"),
    ("upgrade state other", "Error: Invalid value for STATE: several states can only be written back: add --in-place"),
    ("upgrade -i state -", "Error: Invalid value for --in-place: needs files, not standard input"),
    ("upgrade -i --backup kept state other", "Error: Invalid value for --backup: takes one state"),
    ("upgrade -i -o new state other", "Error: Invalid value for --in-place: cannot be combined with --out"),
    ("upgrade state --state state", "Error: Invalid value for --state: name the state once"),
    ("upgrade --in-place -o new state", "Error: Invalid value for --in-place: cannot be combined with --out"),
    ("upgrade --in-place -", "Error: Invalid value for --in-place: needs a file, not standard input"),
    ("upgrade state -o=", "Error: Invalid value for --output: the name is empty"),
    ("fmt --stdout state other", "Error: Invalid value for --stdout: takes one state"),
    (
        "fmt --stdout --check state",
        "Error: Invalid value for --stdout: takes one state, and cannot be combined with --check",
    ),
    ("--color sometimes check state", "Error: Invalid value for --color: must be auto, always or never"),
]


@pytest.mark.parametrize(("line", "message"), CASES, ids=[case[0] for case in CASES])
def test_usage(
    line: str, message: str, statetool: Statetool, folder: Path, tree: Callable[[], dict[str, bytes]]
) -> None:
    (folder / "state").write_bytes(HAND_EDITED)
    result = statetool(*line.replace("-o=", "-o ").split(" "))
    assert (result.status, result.out) == (2, b"")
    last = result.err[result.err.index("Error: ") :]
    assert last.replace("\n  ", " ").startswith(message), result.err
    assert tree() == {"state": HAND_EDITED}


COMMANDS = ["check", "downgrade", "fmt", "graph", "list", "outputs", "providers", "stats", "upgrade"]


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("command", [[], *([name] for name in [*COMMANDS, "ls"])], ids=" ".join)
def test_help(command: list[str], option: str, statetool: Statetool) -> None:
    result = statetool(*command, option)
    assert (result.status, result.err) == (0, "")
    assert result.text.startswith(" ".join(["Usage: statetool", *command, "[OPTIONS]"]))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_every_command(name: str, statetool: Statetool) -> None:
    assert f"\n  {name} " in statetool("--help").text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_state(name: str, statetool: Statetool) -> None:
    assert "\n  --state PATH " in statetool(name, "--help").text


@pytest.mark.parametrize("name", ["downgrade", "fmt", "upgrade"])
def test_every_writing_command_takes_yes(name: str, statetool: Statetool) -> None:
    assert " --yes " in statetool(name, "--help").text


def test_no_command(statetool: Statetool) -> None:
    result = statetool()
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith("Usage: statetool [OPTIONS] COMMAND [ARGS]...\n")
