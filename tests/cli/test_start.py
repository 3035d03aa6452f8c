"""What the process of each command loads: nothing that it does not use, so that light commands start fast."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

_STATE: Final = Path(__file__).parents[2] / "samples" / "v4-resource-level.tfstate"
_RUN: Final = "from statefmt.cli.start import run; run()"

# Whatever a command does. typer imports pydantic from 0.29 on when a command runs, which takes a quarter of a second.
_LIBRARIES: Final = (
    "rich",
    "pydantic",
    "jsonschema",
    "asyncio",
    "email",
    "http",
    "multiprocessing",
    "unittest",
    "deepdiff",
)
# Only where a state is encrypted, or a configuration is read.
_NEVER: Final = (
    *_LIBRARIES,
    "statefmt.encryption",
    "cryptography",
    "statefmt.configuration",
    "statefmt.hcl",
    "tree_sitter",
    "yaml",
)
# Only where an array differs, where there is a table, where there is JSON of our own.
_HEAVY: Final = (*_NEVER, "tabulate", "orjson")
_WRITING: Final = (
    "statefmt.store.local.locks",
    "statefmt.store.local.transaction",
    "socket",
    "hashlib",
    "secrets",
    "gzip",
)
_OLD_FORMATS: Final = ("statefmt.formats.versions.before_v3", "statefmt.formats.versions.v3")
_LOOKING: Final = (
    *_HEAVY,
    *_WRITING,
    *_OLD_FORMATS,
    "idna",
    "base64",
    "statefmt.lint",
    "statefmt.analysis.diff",
    "statefmt.edit.operations",
)
_READING: Final = (
    "msgspec",
    "statefmt.model.addrs",
    "statefmt.formats",
    "statefmt.model.snapshot",
    "statefmt.edit.session",
)


@pytest.mark.parametrize(
    ("command", "unwanted"),
    [
        (
            "--version",
            (*_LOOKING, *_READING, "typer", "typing", "inspect", "subprocess", "difflib", "statefmt.cli.main"),
        ),
        ("--help", (*_LOOKING, *_READING)),
        (
            "list --state STATE",
            (
                *_LOOKING,
                "statefmt.redaction",
                "statefmt.analysis.providers",
                "statefmt.analysis.dependencies",
                "statefmt.render.listing",
            ),
        ),
        (
            "list --state STATE data.aws_ami.base",
            (*_LOOKING, "statefmt.redaction", "statefmt.analysis.providers", "statefmt.analysis.dependencies"),
        ),
        ("show --state STATE", _LOOKING),
        ("outputs STATE", _LOOKING),
        ("fmt --check STATE", (*_HEAVY, *_WRITING, *_OLD_FORMATS, "statefmt.lint", "statefmt.edit.operations")),
        ("rm --dry-run --state STATE data.aws_ami.base", (*_HEAVY, *_OLD_FORMATS)),
        ("diff STATE STATE", (*_HEAVY, *_WRITING, *_OLD_FORMATS, "statefmt.lint", "statefmt.edit.operations")),
        (
            "check --no-settings STATE",
            (*_NEVER, *_OLD_FORMATS, "statefmt.store.local.locks", "statefmt.edit.operations"),
        ),
    ],
)
def test_a_command_loads_only_what_it_uses(command: str, unwanted: tuple[str, ...]) -> None:
    arguments = [str(_STATE) if word == "STATE" else word for word in command.split()]
    # Python itself tells of each module, also where the process ends in the fast way.
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", _RUN, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "statefmt.version" in loaded
    assert sorted(loaded.intersection(unwanted)) == []


_COMPILED: Final = """
import re, sys, typer
compiled, compile_ = [], re._compiler.compile
def recording(pattern, flags):
    if sys._getframe(3).f_globals["__name__"].startswith("statefmt."):
        compiled.append(pattern)
    return compile_(pattern, flags)
re._compiler.compile = recording
for name in sys.argv[1:]:
    __import__(name)
print(compiled)
"""


def test_a_command_compiles_no_regular_expression_before_it_is_used() -> None:
    modules = [
        "statefmt.cli.main",
        "statefmt.cli.commands.list",
        "statefmt.cli.commands.show",
        "statefmt.cli.commands.diff",
        "statefmt.cli.commands.rm",
    ]
    done = subprocess.run([sys.executable, "-c", _COMPILED, *modules], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("target", ["/dev/full", None])
def test_a_version_that_cannot_be_written_is_told(target: str | None) -> None:
    closing = "import os; os.close(1);" if target is None else ""
    with open(target or "/dev/null", "w") as output:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-c", closing + _RUN, "--version"], stdout=output, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"statetool: standard output: ")


def test_the_package_can_be_run() -> None:
    """`python -m statefmt` is statetool, in its messages, too."""
    done = subprocess.run([sys.executable, "-m", "statefmt", "list", "--no-such"], capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"Usage: statetool list ")
