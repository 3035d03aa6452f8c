"""typer is used by its public names: its copy of click is private, and click itself is not installed with statetool."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
# The modules of typer whose names have no underscore, and that its documentation names.
PUBLIC: Final = {"typer", "typer.core", "typer.main"}


def foreign_names(text: str) -> list[str]:
    """The names in a module that are click's, or private in typer."""
    found: list[str] = []
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        for name in names:
            package, *parts = name.split(".")
            is_private = any(part.startswith("_") for part in parts)
            of_module = name.rpartition(".")[0]
            other_module = isinstance(node, ast.ImportFrom) and of_module not in PUBLIC
            if package == "click" or (package == "typer" and (is_private or other_module)):
                found.append(name)
    return found


@pytest.mark.parametrize("folder", ["statefmt", "tests", "docs", "benchmarks"])
def test_only_public_names_of_typer_are_used(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    found = {str(path.relative_to(ROOT)): foreign_names(path.read_text("utf-8")) for path in files}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "text",
    [
        "import click", "from click import Command", "import click.core", "import typer._click",
        "from typer._click.globals import pop_context", "from typer import _click", "import typer\ntyper._click",
        "from typer.models import OptionInfo",
    ],
)  # fmt: skip
def test_others_are_found(text: str) -> None:
    assert foreign_names(text) != []


def test_public_names_are_not_found() -> None:
    assert foreign_names("import typer\nfrom typer.core import TyperGroup\ntyper.Option(help='x')") == []
