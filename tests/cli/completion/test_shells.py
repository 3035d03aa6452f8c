"""Completion in real shells, typed on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from statefmt.cli.program import SHELLS, script
from tests.cli.states import SAMPLES

pytestmark = pytest.mark.process

_START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
_SET_UP = {
    "bash": ["source completion"],
    "zsh": ["autoload -Uz compinit && compinit -u -D", "source completion"],
    "fish": ["source completion"],
}
# Answers completion, and otherwise saves the arguments as the shell has passed them.
_PROGRAM = """\
#!/bin/sh
[ -n "$STATETOOL_COMPLETE" ] && exec '{program}' "$@"
for argument; do printf '%s\\0' "$argument"; done > arguments.new
mv arguments.new arguments
"""
# In seconds; only a shell that hangs takes this long.
_PATIENCE = 60.0


class Shell:
    """A shell on a terminal, whose folder has two states."""

    def __init__(self, name: str, folder: Path) -> None:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
        (folder / "completion").write_text(script(name))
        shutil.copy(SAMPLES / "v4-regions.tfstate", folder / "terraform.tfstate")
        shutil.copy(SAMPLES / "v4-empty.tfstate", folder / "other.tfstate")
        program = folder / "bin" / "statetool"
        program.parent.mkdir()
        program.write_text(_PROGRAM.format(program=Path(sys.executable).with_name("statetool")))
        program.chmod(0o755)
        self._arguments = folder / "arguments"
        environment = {
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "TERM": "xterm",
            "LC_ALL": "C.UTF-8",
        }
        program_name, *options = _START[name]
        self._process = pexpect.spawn(
            program_name, options, cwd=folder, env=environment, dimensions=(40, 160), timeout=_PATIENCE
        )
        for line in _SET_UP[name]:
            self._process.sendline(line)

    def completed(self, typed: str) -> list[str]:
        """Type the start of a command line, a tab and a newline; return the arguments that statetool gets."""
        self._arguments.unlink(missing_ok=True)
        self._process.send(f"{typed}\t")
        self._process.send("\r")
        until = time.monotonic() + _PATIENCE
        while not self._arguments.exists():
            assert time.monotonic() < until, f"{typed}: the shell has run nothing"
            # A full terminal would block the shell.
            with_output = self._process.expect([r".+", pexpect.TIMEOUT], timeout=0.05)
            assert with_output in (0, 1)
        return self._arguments.read_bytes().decode().split("\0")[:-1]

    def close(self) -> None:
        self._process.close(force=True)


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    started = Shell(request.param, tmp_path_factory.mktemp(request.param))
    yield started
    started.close()


# What is typed before the tab, and the arguments of the program then.
CASES = [
    ("statetool upg", ["upgrade"]),
    ("statetool state rep", ["state", "replace-provider"]),
    ("statetool mv --dr", ["mv", "--dry-run"]),
    ("statetool show aws_iam", ["show", "aws_iam_role.app"]),
    ("statetool state show aws_iam", ["state", "show", "aws_iam_role.app"]),
    # In quotes, which the shell then closes.
    ("statetool show 'aws_vpc.main[\"eu", ["show", 'aws_vpc.main["eu-west-1"]']),
    (
        'statetool rm --dry-run \'module.database["us-west-2"].',
        ["rm", "--dry-run", 'module.database["us-west-2"].aws_db_instance.this'],
    ),
    # Without quotes, which only the completed address needs.
    (
        'statetool rebind aws_vpc.main aws.by_region\\[\\"eu-n',
        ["rebind", "aws_vpc.main", 'aws.by_region["eu-north-1"]'],
    ),
    ("statetool rebind aws_vpc.main 'aws.by_region[\"eu-n", ["rebind", "aws_vpc.main", 'aws.by_region["eu-north-1"]']),
    ("statetool list --type aws_db", ["list", "--type", "aws_db_instance"]),
    ("statetool outputs --raw add", ["outputs", "--raw", "addresses"]),
    ("statetool rule CHK", ["rule", "CHK001"]),
    ("statetool check --select STA001,CHK", ["check", "--select", "STA001,CHK001"]),
    ("statetool check --format sa", ["check", "--format", "sarif"]),
    ("statetool help sel", ["help", "selectors"]),
    ("statetool stats oth", ["stats", "other.tfstate"]),
    ("statetool list --state oth", ["list", "--state", "other.tfstate"]),
    ("statetool list --state=oth", ["list", "--state=other.tfstate"]),
    ("statetool list -state=oth", ["list", "-state=other.tfstate"]),
    ("statetool list --state other.tfstate aws_", ["list", "--state", "other.tfstate", "aws_"]),
    ("statetool list --state missing.tfstate aws_", ["list", "--state", "missing.tfstate", "aws_"]),
]


@pytest.mark.parametrize(("typed", "arguments"), CASES, ids=[typed for typed, _ in CASES])
def test_completed(typed: str, arguments: list[str], shell: Shell) -> None:
    assert shell.completed(typed) == arguments
