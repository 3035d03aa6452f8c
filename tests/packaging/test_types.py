"""Type checkers accept programs that use the installed wheel, with strict settings, and report mistakes in them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.packaging.conftest import ROOT

_RECIPES: Final = Path(__file__).with_name("recipes.py")
_BLOCK: Final = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Each line has a mistake that only types show.
_MISTAKES: Final = """
import statefmt
from statefmt.testing import FakeResource
from statefmt import opened
state = statefmt.open(1)
statefmt.red(b"")
print(state.serial + "1")
state.select("a.b", kind="managed")
state.snapshot.serial = 2
with state.edit() as edit: edit.move("a.b", 2)
print(edit.backup.upper())
for finding in state.check(): print(finding.message)
FakeResource("a.b", "x")
""".lstrip()
_WITHOUT_MISTAKE: Final = 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("v4-regions", "v4-regions-later"):
        shutil.copy(ROOT / "samples" / f"{name}.tfstate", tmp_path)
    return tmp_path


def _check(folder: Path, *command: str | Path) -> tuple[int, str]:
    """Run a program from a folder without this checkout, which is on no path then."""
    # Otherwise pyright checks for a newer release of itself.
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def _mypy(folder: Path, environment: Path, *names: str) -> tuple[int, str]:
    python = environment / "bin" / "python"
    options: list[str | Path] = ["--strict", "--config-file=", "--cache-dir", os.devnull, "--python-executable", python]
    return _check(folder, sys.executable, "-m", "mypy", *options, *names)


def _pyright(folder: Path, environment: Path, *names: str, mode: str = "strict") -> tuple[int, str]:
    pytest.importorskip("pyright")
    (folder / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": mode, "include": names}))
    return _check(folder, sys.executable, "-m", "pyright", "--pythonpath", environment / "bin" / "python")


def test_the_recipes_are_about_the_library_as_a_whole() -> None:
    import statefmt

    text = _RECIPES.read_text(encoding="utf-8")
    assert 100 <= len(text.splitlines()) <= 130
    used = {name for name in dir(statefmt) if re.search(rf"\bstatefmt\.{name}\b|import.*\b{name}\b", text)}
    assert len(used) >= 15


def test_the_recipes_run(environment: Path, folder: Path) -> None:
    shutil.copy(_RECIPES, folder)
    status, printed = _check(folder, environment / "bin" / "python", "recipes.py")
    assert status == 0, printed
    assert "no-match aws_vpc.absent v4-regions.tfstate" in printed


def test_mypy_accepts_the_recipes(environment: Path, folder: Path) -> None:
    shutil.copy(_RECIPES, folder)
    assert _mypy(folder, environment, "recipes.py") == (0, "Success: no issues found in 1 source file\n")


def test_pyright_accepts_the_recipes(environment: Path, folder: Path) -> None:
    shutil.copy(_RECIPES, folder)
    status, printed = _pyright(folder, environment, "recipes.py")
    assert (status, printed) == (0, "0 errors, 0 warnings, 0 informations\n")


def test_both_accept_the_programs_of_the_guides(environment: Path, folder: Path) -> None:
    """The blocks of the library's guide are one program, each recipe is its own."""
    guides = ROOT / "docs" / "guides"
    guide = "".join(_BLOCK.findall((guides / "library.md").read_text(encoding="utf-8")))
    recipes = _BLOCK.findall((guides / "recipes.md").read_text(encoding="utf-8"))
    names = []
    for number, program in enumerate([guide, *recipes]):
        names.append(f"program_{number}.py")
        (folder / names[-1]).write_text(program, encoding="utf-8")
    assert len(names) > 5
    status, printed = _mypy(folder, environment, *names)
    assert status == 0, printed
    status, printed = _pyright(folder, environment, *names, mode="standard")
    assert status == 0, printed


def test_both_report_mistakes(environment: Path, folder: Path) -> None:
    (folder / "mistakes.py").write_text(_MISTAKES, encoding="utf-8")
    expected = set(range(_WITHOUT_MISTAKE + 1, len(_MISTAKES.splitlines()) + 1))
    _, printed = _mypy(folder, environment, "mistakes.py")
    assert {int(line) for line in re.findall(r"mistakes\.py:(\d+): error", printed)} == expected, printed
    _, printed = _pyright(folder, environment, "mistakes.py", mode="standard")
    assert {int(line) for line in re.findall(r"mistakes\.py:(\d+):\d+ - error", printed)} == expected, printed


def test_neither_finds_the_library_without_its_environment(folder: Path) -> None:
    """What they accept is the installed wheel, and not this checkout."""
    shutil.copy(_RECIPES, folder)
    empty = folder / "empty"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", empty], check=True)
    for status, printed in (_mypy(folder, empty, "recipes.py"), _pyright(folder, empty, "recipes.py")):
        assert status != 0
        assert "statefmt" in printed
