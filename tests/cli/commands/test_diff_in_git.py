"""`statetool diff` of versions in git, and git comparing states with statetool."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.diffing import vpc
from tests.cli.states import state


@pytest.fixture
def repository(folder: Path) -> Callable[..., None]:
    """Run git in the folder, which is made a repository."""

    def git(*arguments: str) -> None:
        settings = ["-c", "user.name=n", "-c", "user.email=e"]
        subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "--quiet")
    return git


def test_versions_in_git(repository: Callable[..., None], statetool: Statetool) -> None:
    Path("in").mkdir()
    for number, name in enumerate("abc"):
        Path("in/s").write_bytes(state(vpc(name)))
        repository("add", ".")
        if number < 2:
            repository("commit", "--quiet", "--message", name)
    for sides, expected in (
        (("git:HEAD~1:in/s", "git:HEAD:./in/s"), "→ aws_vpc.a to aws_vpc.b"),
        (("git:HEAD:in/s", "in/s"), "→ aws_vpc.b to aws_vpc.c"),
        (("git:HEAD:in/s", "git::in/s"), "→ aws_vpc.b to aws_vpc.c"),
    ):
        assert statetool("diff", *sides).text.splitlines()[0] == expected
    for name, reason in (
        ("git:HEAD:in/t", "git:HEAD:in/t: path 'in/t' does not exist in 'HEAD'"),
        ("git:HEAD:in", "git:HEAD:in: this is a folder in git, not a state file"),
        ("git:nope:in/s", "git:nope:in/s: invalid object name 'nope'"),
    ):
        result = statetool("diff", name, "in/s")
        assert result.status == 2
        assert reason in " ".join(result.err.split())


def test_without_git(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    Path("old").write_bytes(state())
    result = statetool("diff", "git:HEAD:old", "old")
    assert (result.status, result.err) == (2, "statetool: git:HEAD:old: git is not installed or not on PATH\n")
