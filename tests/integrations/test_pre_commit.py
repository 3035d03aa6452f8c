"""pre-commit really installs and runs the hooks, from this checkout, in a scratch repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOOD = ROOT / "samples/v4-resource-level.tfstate"
NOT_CANONICAL = ROOT / "samples/v4-hand-edited.tfstate"
BROKEN = ROOT / "samples/broken/duplicate-instance.tfstate"


def _run(*command: str, folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment | {"PRE_COMMIT_HOME": str(cache), "PRE_COMMIT_COLOR": "never"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environments it makes; one for all tests here."""
    if shutil.which("git") is None:
        pytest.skip("git is not on PATH")
    inside = _run("git", "rev-parse", "--is-inside-work-tree", folder=ROOT, cache=ROOT)
    if inside.returncode:
        pytest.skip("the project is not in a git repository, which pre-commit clones from")
    return tmp_path_factory.mktemp("pre-commit")


def _try_hook(hook: str, state: Path, folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run one hook over a scratch repository that holds one state."""
    _run("git", "init", "--quiet", folder=folder, cache=cache)
    shutil.copy(state, folder / "terraform.tfstate")
    _run("git", "add", ".", folder=folder, cache=cache)
    command = (sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), hook, "--all-files", "--verbose")
    done = _run(*command, folder=folder, cache=cache)
    if "No matching distribution" in done.stdout or "Could not find a version" in done.stdout:
        pytest.skip(f"the package index cannot be reached: {done.stdout[-300:]}")
    return done


@pytest.mark.parametrize(
    ("hook", "state", "status", "said"),
    [
        ("statetool-check", GOOD, 0, "1 state checked"),
        ("statetool-check", BROKEN, 1, "ADR002"),
        ("statetool-fmt", GOOD, 0, "Passed"),
        ("statetool-fmt", NOT_CANONICAL, 1, "terraform.tfstate"),
    ],
    ids=["check passes", "check fails", "fmt passes", "fmt fails"],
)
def test_hook(hook: str, state: Path, status: int, said: str, tmp_path: Path, cache: Path) -> None:
    done = _try_hook(hook, state, tmp_path, cache)
    assert (done.returncode, said in done.stdout) == (status, True), done.stdout + done.stderr
    assert (tmp_path / "terraform.tfstate").read_bytes() == state.read_bytes()
