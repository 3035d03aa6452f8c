"""Revisions in git: any folder of any repository, told apart in one index."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from statefmt import run_context
from tests.fleet.sources.conftest import Indexer
from tests.fleet.test_index import state

pytest.importorskip("duckdb")


def git(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    named = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", "-C", str(folder), *named, *arguments], env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


def repository(folder: Path, **states: bytes) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for name, content in states.items():
        path = folder / f"{name.replace('__', '/')}.tfstate"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "-m", "one")
    return folder


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    return (
        repository(tmp_path / "one", top=state(1), prod__net=state(2)),
        repository(tmp_path / "two: [x]", top=state(3), prod__net=state(4)),
    )


def test_states_of_two_repositories_are_told_apart(two: tuple[Path, Path], index: Indexer) -> None:
    run = index(f"git:main:{two[0]}", f"git:HEAD:{two[1]}/prod")
    assert (run.states, list(run.failed), list(run.missing)) == (3, [], [])
    blob = git(two[1], "rev-parse", "main:prod/net.tfstate")
    assert index.rows("SELECT uri, serial, size FROM states ORDER BY serial") == [
        (f"git:main:{two[0]}/top.tfstate", 1, len(state(1))),
        (f"git:main:{two[0]}/prod/net.tfstate", 2, len(state(2))),
        (f"git:HEAD:{two[1]}/prod/net.tfstate", 4, len(state(4))),
    ]
    assert index.rows("SELECT version FROM states WHERE serial = 4") == [(blob,)]


def test_the_current_repository_is_the_same_by_its_path(
    two: tuple[Path, Path], index: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(two[0] / "prod")
    assert index("git:main:").read == 2
    assert index("git:main:prod").read == 0
    monkeypatch.chdir("/")
    assert index(f"git:main:{two[0]}").read == 0
    assert index.rows("SELECT count(*) FROM states") == [(2,)]


def test_a_commit_changes_what_is_read(two: tuple[Path, Path], index: Indexer) -> None:
    index(f"git:main:{two[0]}")
    (two[0] / "top.tfstate").unlink()
    (two[0] / "prod/net.tfstate").write_bytes(state(9))
    assert index(f"git:main:{two[0]}").read == 0
    git(two[0], "commit", "-q", "-a", "-m", "two")
    run = index(f"git:main:{two[0]}")
    assert (run.read, run.removed) == (1, 1)
    # Deleted on disk, and still there in the revision before.
    assert index(f"git:main~1:{two[0]}/top.tfstate").read == 1


def test_a_bare_repository(two: tuple[Path, Path], index: Indexer, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(two[0]), "bare.git")
    run = index(f"git:main:{tmp_path}/bare.git/prod")
    assert (run.read, list(run.failed), list(run.missing)) == (1, [], [])
    assert index.rows("SELECT uri FROM states") == [(f"git:main:{tmp_path}/bare.git/prod/net.tfstate",)]


@pytest.mark.parametrize("source", ["git:nowhere:{}", "git:--output=x:{}", "git::{}", "git:main:/", "git:main:{}/no"])
def test_what_is_no_source(two: tuple[Path, Path], index: Indexer, source: str) -> None:
    run = index(source.format(two[0]))
    assert (run.states, len(run.missing)) == (0, 1)


def test_no_program_that_a_repository_names_is_run(tmp_path: Path, index: Indexer) -> None:
    top = repository(tmp_path / "one", here=state(1), missing=state(2))
    ran = tmp_path / "ran"
    program = f"touch '{ran}'; false"
    for name in ("core.fsmonitor", "core.sshCommand", "core.pager", "diff.x.textconv", "remote.origin.uploadpack"):
        git(top, "config", name, program)
    # A partial clone fetches what is missing, by default with a program of the repository's choice.
    blob = git(top, "rev-parse", "main:missing.tfstate")
    (top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    git(top, "config", "core.repositoryFormatVersion", "1")
    git(top, "config", "extensions.partialClone", "origin")
    git(top, "config", "remote.origin.promisor", "true")
    ran.unlink(missing_ok=True)
    for url in ("ssh://host/x", str(top), f"ext::sh -c touch% {ran}"):
        git(top, "-c", "core.fsmonitor=false", "config", "remote.origin.url", url)
        run = index(f"git:main:{top}")
        assert [error.startswith("its content is not in this clone") for _, error in run.failed] == [True]
        assert not ran.exists(), url
    run_context().read(f"git::{top}/here.tfstate")
    assert not ran.exists()
