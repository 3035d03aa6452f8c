"""The commands of the README and of the pages written by hand are run, and must print what is shown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..cli.conftest import Program
from ..cli.terminal import on_terminal

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _sessions(page: str) -> list[tuple[str, str]]:
    """(command, output) pairs of all console blocks of a page, in order."""
    pairs = []
    for block in _BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            pairs.append((command, output))
    return pairs


# The pages with console blocks.
PAGES = [
    "README.md",
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")) if _sessions(f"docs/{path.name}")),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the samples."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    return tmp_path


# Those that show what people see: on a terminal of 80 columns that has no colours.
ON_TERMINAL = {"docs/looking.md"}


def _run(command: str, folder: Path, *, on_a_terminal: bool = False) -> str:
    """What a command prints, on both streams."""
    environment = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    if on_a_terminal:
        return on_terminal(Program(environment), f"cd '{folder}'; {command}", environment={"TERM": "dumb"}).text
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.stdout.decode()


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_shows(page: str, folder: Path) -> None:
    """In one test, since a command may need what an earlier one wrote."""
    for command, output in _sessions(page):
        assert _run(command, folder, on_a_terminal=page in ON_TERMINAL) == output, command


def test_the_pages_show_something() -> None:
    assert len(_sessions("README.md")) >= 5
    assert "docs/selectors.md" in PAGES


def test_python_example_runs(folder: Path) -> None:
    (example,) = _PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    subprocess.run([sys.executable, "-c", example], cwd=folder, check=True)
