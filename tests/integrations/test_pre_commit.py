"""pre-commit really installs and runs the hooks, from this checkout, in a scratch repository."""

from __future__ import annotations

import os
import re
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


def _try_hooks(states: dict[str, Path], folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run all hooks over a scratch repository that holds some states."""
    _run("git", "init", "--quiet", folder=folder, cache=cache)
    for name, state in states.items():
        shutil.copy(state, folder / name)
    _run("git", "add", ".", folder=folder, cache=cache)
    command = (sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), "--all-files", "--verbose")
    done = _run(*command, folder=folder, cache=cache)
    if "No matching distribution" in done.stdout or "Could not find a version" in done.stdout:
        pytest.skip(f"the package index cannot be reached: {done.stdout[-300:]}")
    return done


# States by name, and what is printed for each hook.
CASES = {
    "pass": (
        {"good.tfstate": GOOD},
        ("check.*Passed", "1 state checked", "check --diff.*Passed", "fmt --check.*Passed"),
    ),
    "fail": (
        {"broken.tfstate": BROKEN, "edited.tfstate": NOT_CANONICAL},
        ("check.*Failed", "ADR002", "check --diff", "--unsafe-fixes", "fmt --check.*Failed", "edited.tfstate"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_hooks(case: str, tmp_path: Path, cache: Path) -> None:
    states, said = CASES[case]
    done = _try_hooks(states, tmp_path, cache)
    assert done.returncode == (case == "fail"), done.stdout + done.stderr
    assert re.search(".*".join(said), done.stdout, re.DOTALL), done.stdout + done.stderr
    assert {name: (tmp_path / name).read_bytes() for name in states} == {
        name: state.read_bytes() for name, state in states.items()
    }
