"""The README's commands are run, and must print what it shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _sessions() -> list[tuple[str, str]]:
    """(command, output) pairs of all console blocks, in order."""
    pairs = []
    for block in _BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            pairs.append((command, output))
    return pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the samples, shared by all commands as a reader would type them."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "samples", folder / "samples")
    return folder


@pytest.mark.parametrize(("command", "output"), _sessions(), ids=[command for command, _ in _sessions()])
def test_command_prints_what_the_readme_shows(command: str, output: str, folder: Path) -> None:
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.stdout.decode() == output


def test_the_readme_shows_something() -> None:
    assert len(_sessions()) >= 5


def test_python_example_runs(folder: Path) -> None:
    (example,) = _PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    subprocess.run([sys.executable, "-c", example], cwd=folder, check=True)
