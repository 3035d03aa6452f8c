"""Text is never wider than 80 columns, but for single words (an address, the name of a file) and commands to copy."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import HAND_EDITED, SAMPLES, resource, state

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
def samples(folder: Path) -> None:
    shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)


def _too_wide(text: str) -> list[str]:
    lines = text.splitlines()
    return [line for line in lines if len(line) > COLUMNS and max(map(len, WORD.findall(line))) < LONG_WORD]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    "command", ["check", "fmt", "list --state", "outputs", "providers", "stats", "upgrade --style keep"]
)
def test_samples(command: str, name: str, statetool: Statetool) -> None:
    result = statetool(*command.split(), name)
    text = result.err if command.startswith("upgrade") else result.text + result.err
    assert _too_wide(text) == []


@pytest.mark.parametrize("line", OTHERS)
def test_messages(line: str, statetool: Statetool) -> None:
    result = statetool(*line.split())
    assert _too_wide(result.text + result.err) == []


@pytest.mark.parametrize("command", ["check", "fmt", "graph", "list", "outputs", "providers", "stats", "upgrade"])
def test_refused_default(command: str, statetool: Statetool, folder: Path) -> None:
    (folder / ".terraform").mkdir()
    (folder / ".terraform" / "terraform.tfstate").write_bytes(b'{"backend":{"type":"azurerm"}}')
    assert _too_wide(statetool(command).err) == []


def test_long_address_is_never_broken(statetool: Statetool, folder: Path) -> None:
    """Not even at its blanks and hyphens: it must be copied in one piece."""
    address = f'module.{"very_" * 20}long.aws_instance.web["a key, with-blanks{" and-hyphens" * 8}"]'
    key = address.partition('["')[2].removesuffix('"]')
    module = address.partition(".aws_instance")[0]
    repeated = resource("aws_instance", "web", *[{"index_key": key}] * 2, module=module)
    (folder / "long").write_bytes(state(repeated))
    assert address in statetool("check", "long").text
    assert address in statetool("list", "--state", "long").err


def test_long_file_name(statetool: Statetool, folder: Path) -> None:
    name = f"{'very-' * 20}long.tfstate"
    (folder / name).write_bytes(HAND_EDITED)
    for command in (["check"], ["fmt"], ["fmt", "--check"], ["upgrade"], ["list", "--state"]):
        result = statetool(*command, name)
        assert _too_wide(result.err) == []


def test_a_command_in_a_finding_is_never_broken(statetool: Statetool) -> None:
    """It must be copied in one piece, too."""
    command = "statetool mv 'aws_instance.web[10]' 'aws_instance.web[0]' --state v4-hand-edited.tfstate"
    assert f"`{command}`" in statetool("check", "v4-hand-edited.tfstate").text
