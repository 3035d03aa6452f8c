"""Addresses that a shell has changed: the advice, pasted into the same shell, works."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES

_ADVICE = re.compile(r"write (.*) in single quotes\n")


@pytest.fixture(autouse=True)
def regions(folder: Path) -> None:
    """A state with keys in modules, resources and provider configurations."""
    shutil.copy(SAMPLES / "v4-regions.tfstate", folder / "terraform.tfstate")


# The line that loses its quotes, with the place of the address.
LINES = [
    ("list {}", 'module.database["eu-west-1"]'),
    ("show {}", 'aws_vpc.main["eu-west-1"]'),
    ("rm --dry-run {}", 'module.database["eu-west-1"]'),
    ("mv --dry-run {} aws_vpc.x", 'aws_vpc.main["eu-west-1"]'),
    ("mv --dry-run aws_iam_role.app {}", 'aws_iam_role.app["eu-west-1"]'),
    ("list --exclude {}", 'module.database["eu-west-1"]'),
    ("list --provider {}", 'aws.by_region["eu-west-1"]'),
    ("graph --from {}", 'aws_instance.web["eu-west-1"]'),
    ("rebind --dry-run module.database {}", 'aws.by_region["eu-west-1"]'),
]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(("line", "address"), LINES, ids=[case[0] for case in LINES])
def test_pasted_back(shell: str, line: str, address: str, program: Program) -> None:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"there is no {shell}")
    # zsh and fish take unquoted brackets for a pattern of files, so only double quotes let the address through.
    typed = address if shell == "bash" else f'"{address}"'
    environment = {"SHELL": path, "COLUMNS": "300"}
    first = program.in_shell_named(path, f"statetool {line.format(typed)}", environment=environment)
    assert first.status == 2
    assert re.match(r"statetool: invalid (address|provider|provider instance) '", first.err)
    advised = _ADVICE.search(first.err)
    assert advised is not None, first.err
    assert advised[1] == f"'{address}'"
    again = program.in_shell_named(path, f"statetool {line.format(advised[1])}", environment=environment)
    assert (again.status, again.out != b"") == (0, True), again.err


def test_removal_of_a_provider_instance(statetool: Statetool) -> None:
    result = statetool("providers", "--remove", "aws.by_region[eu-west-1]")
    assert result.status == 2
    assert "the shell removed the quotes; write 'aws.by_region[\"eu-west-1\"]'" in " ".join(result.err.split())


@pytest.mark.parametrize("line", ["list -", "show -", "rm -", "mv - aws_vpc.a", "mv aws_vpc.main -"])
def test_standard_input_as_an_address(line: str, statetool: Statetool, folder: Path) -> None:
    """The hint appears even if the default state does not exist."""
    (folder / "terraform.tfstate").unlink()
    result = statetool(*line.split())
    assert result.status == 2
    expected = "statetool: invalid address '-': use --state - to read the state from standard input"
    assert " ".join(result.err.split()) == expected


def test_a_state_as_the_source_of_mv(statetool: Statetool) -> None:
    result = statetool("mv", "terraform.tfstate", "aws_vpc.a")
    assert result.status == 2
    expected = "invalid address 'terraform.tfstate': it is a file; use --state terraform.tfstate to name the state"
    assert expected in " ".join(result.err.split())


def test_type_alone(statetool: Statetool) -> None:
    result = statetool("list", "aws_vpc")
    assert result.status == 2
    assert "use --type aws_vpc or 'aws_vpc.*'" in " ".join(result.err.split())
    both = [statetool("list", "--type", "aws_vpc"), statetool("list", "aws_vpc.*")]
    assert [one.text.count("\n") for one in both] == [2, 2]


def test_a_pattern_of_which_the_shell_made_a_file(program: Program, folder: Path) -> None:
    (folder / "aws_vpc.tf").touch()
    result = program.in_shell("statetool list aws_vpc.*")
    assert result.status == 2
    assert "a file has this name; if you typed a pattern, put it in single quotes" in " ".join(result.err.split())
    assert "a file has this name" not in program.in_shell("statetool list 'aws_vcp.*'").err
