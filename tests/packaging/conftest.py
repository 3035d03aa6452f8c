"""The wheel, and an environment with it that knows nothing of this checkout."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _pip(*arguments: str | Path) -> None:
    """Run pip; skip where it cannot get at a package."""
    command: Sequence[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = done.stdout.decode()
    if done.returncode:
        missing = [
            line for line in said.splitlines() if "No matching distribution" in line or "No module named" in line
        ]
        if missing:
            pytest.skip(f"no package index: {missing[-1]}")
        pytest.fail(f"pip {' '.join(map(str, arguments))}\n{said}")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _pip("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and the locked packages that it depends on, and nothing else."""
    environment = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    install = ("--python", environment / "bin" / "python", "install", "--quiet", "--no-deps")
    _pip(*install, "--require-hashes", "--only-binary", ":all:", "--requirement", ROOT / "requirements" / "run.txt")
    _pip(*install, "--no-index", wheel)
    return environment
