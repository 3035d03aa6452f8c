"""The commands of the README and of the pages written by hand are run, and must print what is shown."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.transcripts import ROOT, pages, printed, sessions, with_samples

_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_samples(tmp_path)


@pytest.mark.parametrize("page", pages())
def test_commands_print_what_the_page_shows(page: str, folder: Path) -> None:
    """In one test, since a command may need what an earlier one wrote."""
    for command, output in sessions(page):
        assert printed(command, folder) == output, command


def test_the_pages_show_something() -> None:
    assert len(sessions("README.md")) >= 5
    assert {"docs/selectors.md", "docs/guides/incident.md"} <= set(pages())


@pytest.mark.parametrize("page", ["README.md", "docs/guides/incident.md"])
def test_the_best_commands_can_be_found(page: str) -> None:
    shown = " ".join(command for command, _ in sessions(page))
    assert "statetool check --config" in shown
    assert "statetool simulate --config" in shown


def test_python_example_runs(folder: Path) -> None:
    (example,) = _PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    subprocess.run([sys.executable, "-c", example], cwd=folder, check=True)


def test_the_library_guide_runs(folder: Path) -> None:
    """All blocks, one after the other, as one program that mypy accepts."""
    blocks = _PYTHON.findall((ROOT / "docs/guides/library.md").read_text(encoding="utf-8"))
    assert len(blocks) >= 6
    (folder / "guide.py").write_text("".join(blocks), encoding="utf-8")
    subprocess.run([sys.executable, "guide.py"], cwd=folder, check=True)
    subprocess.run([sys.executable, "-m", "mypy", "--strict", "guide.py"], cwd=folder, check=True)


_RECIPES = _PYTHON.findall((ROOT / "docs/guides/recipes.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("recipe", _RECIPES, ids=range(len(_RECIPES)))
def test_a_recipe_runs(recipe: str, folder: Path) -> None:
    (folder / "recipe.py").write_text(recipe, encoding="utf-8")
    done = subprocess.run([sys.executable, "recipe.py"], cwd=folder, capture_output=True, text=True, check=True)
    # Only the gate has nothing to say about the samples.
    assert done.stdout or "sys.exit" in recipe


def test_the_recipes_are_typed(folder: Path) -> None:
    names = [f"recipe_{number}.py" for number in range(len(_RECIPES))]
    for name, recipe in zip(names, _RECIPES, strict=True):
        (folder / name).write_text(recipe, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "mypy", "--strict", *names], cwd=folder, check=True)
