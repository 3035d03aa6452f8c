"""On a terminal, only single words (an address, a file name) and commands to copy are wider than 80 columns.

In a pipe nothing is wrapped.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import HAND_EDITED, SAMPLES, resource, state
from tests.cli.terminal import in_process, on_terminal
from tests.tables import each_row

COLUMNS = 80
# No word of our own is as long as this.
LONG_WORD = 40
WORD = re.compile(r"`statetool [^`]*`|\S+")
EVERY = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.tfstate"))
OTHERS = [
    "",
    "--help",
    "check --help",
    "fmt --help",
    "graph --help",
    "list --help",
    "outputs --help",
    "providers --help",
    "stats --help",
    "upgrade --help",
    "frobnicate",
    "check --select XYZ v4-empty.tfstate",
    "upgrade --style wide v4-empty.tfstate",
    "upgrade --state v4-empty.tfstate v4-empty.tfstate",
    "list --state v4-resource-level.tfstate aws_instance.wbe module.netwrok.aws_vpc.main",
    "list --state v4-resource-level.tfstate aws_instance[",
    "fmt v3-legacy.tfstate",
    "fmt v4-hand-edited.tfstate",
    "upgrade --registry keep v3-legacy.tfstate --in-place",
    "upgrade --registry keep v3-legacy.tfstate -o v4-empty.tfstate",
    "upgrade --registry keep v3-legacy.tfstate -o v4-empty.tfstate --yes",
    "upgrade --registry keep v3-legacy.tfstate -o missing/new.tfstate",
    "check broken",
    "check missing",
    "check",
]


@pytest.fixture(autouse=True)
def samples(request: pytest.FixtureRequest, folder: Path) -> None:
    if request.function is not test_samples:
        shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)


def _too_wide(text: str) -> list[str]:
    lines = text.splitlines()
    return [line for line in lines if len(line) > COLUMNS and max(map(len, WORD.findall(line))) < LONG_WORD]


@each_row("name", EVERY, sample=80)
@each_row(
    "command", ["check", "fmt", "list --state", "outputs", "providers", "stats", "upgrade --dry-run --style keep"]
)
def test_samples(command: str, name: str, folder: Path) -> None:
    shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)
    if command.startswith("upgrade"):
        # The new state goes to a file: on the terminal, its lines would be as wide as they are.
        command += " --yes -o new"
    assert _too_wide(_shown(*command.split(), name)) == []


@pytest.mark.parametrize("line", OTHERS)
def test_messages(line: str) -> None:
    assert _too_wide(_shown(*line.split())) == []


@pytest.mark.parametrize("command", ["check", "fmt", "graph", "list", "outputs", "providers", "stats", "upgrade"])
def test_refused_default(command: str, folder: Path) -> None:
    (folder / ".terraform").mkdir()
    (folder / ".terraform" / "terraform.tfstate").write_bytes(b'{"backend":{"type":"azurerm"}}')
    assert _too_wide(_shown(command)) == []


def _shown(*arguments: str) -> str:
    return in_process("--color", "never", *arguments).text


def test_long_address_is_never_broken(folder: Path) -> None:
    """Not even at its blanks and hyphens: it must be copied in one piece."""
    address = f'module.{"very_" * 20}long.aws_instance.web["a key, with-blanks{" and-hyphens" * 8}"]'
    key = address.partition('["')[2].removesuffix('"]')
    module = address.partition(".aws_instance")[0]
    repeated = resource("aws_instance", "web", *[{"index_key": key}] * 2, module=module)
    (folder / "long").write_bytes(state(repeated))
    assert address in _shown("check", "long")
    assert address in _shown("list", "--state", "long")


def test_long_file_name(folder: Path) -> None:
    name = f"{'very-' * 20}long.tfstate"
    (folder / name).write_bytes(HAND_EDITED)
    for command in (["check"], ["fmt"], ["fmt", "--check"], ["upgrade", "-o", "new"], ["list", "--state"]):
        assert _too_wide(_shown(*command, name)) == []


def test_a_command_in_a_finding_is_never_broken() -> None:
    """It must be copied in one piece, too."""
    command = "statetool mv 'aws_instance.web[10]' 'aws_instance.web[0]' --state v4-hand-edited.tfstate"
    assert f"`{command}`" in _shown("check", "v4-hand-edited.tfstate")


# Command line, what part of its output is on one line.
IN_A_PIPE = [
    (
        "check broken/missing-provider.tfstate",
        r"Instance aws_s3_bucket\.logs\S+ has no .*, neither .* on the instance\.\n",
    ),
    (
        "check v4-hand-edited.tfstate",
        r"→ To write it in that form, .*: `statetool fmt --state v4-hand-edited\.tfstate`\.\n",
    ),
    (
        "list --state v4-empty.tfstate a[",
        r"statetool: invalid address 'a\[': index brackets must contain .* literal string ",
    ),
    ("rule PRV003", r"OpenTofu refuses most such states\. If only some .* silently rebinds the resource\.\n"),
    (
        "upgrade --registry keep v3-legacy.tfstate -o v4-empty.tfstate",
        r"v4-empty\.tfstate: the file already exists; --yes .*backup\n",
    ),
]


@pytest.mark.parametrize(("line", "expected"), IN_A_PIPE, ids=[case[0] for case in IN_A_PIPE])
def test_in_a_pipe(line: str, expected: str, statetool: Statetool) -> None:
    result = statetool(*line.split())
    assert re.search(expected, result.text + result.err), result


def test_each_stream_has_its_own_width(program: Program) -> None:
    """A result in a pipe has long lines even if the messages go to the terminal, and the other way round."""
    only_errors = on_terminal(program, "statetool check broken/missing-provider.tfstate missing | cat; echo; echo")
    assert max(map(len, only_errors.text.splitlines())) > COLUMNS
    messages = "statetool list --state v4-empty.tfstate 'aws_instance['"
    assert _too_wide(on_terminal(program, f"{messages} | cat").text) == []
    assert max(map(len, program.in_shell(messages).err.splitlines())) > COLUMNS


@pytest.mark.parametrize(("columns", "wanted"), [("60", 60), ("100", 100), ("wide", 80), ("0", 80)])
def test_columns_from_the_environment(columns: str, wanted: int, program: Program) -> None:
    shown = on_terminal(program, "statetool --color never rule PRV003", environment={"COLUMNS": columns})
    assert wanted - 20 < max(len(line) for line in shown.text.splitlines() if "{" not in line) <= wanted
