"""Errors raised below the command line name options only as a `Wording`, which has the argument of the library, too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.tables import each_row

ROOT: Final = Path(__file__).resolve().parents[2] / "statefmt"
# The command line itself, and what renders for it.
ABOVE: Final = ("cli", "render")
FILES: Final = [path for path in sorted(ROOT.rglob("*.py")) if path.relative_to(ROOT).parts[0] not in ABOVE]
# A whole command may be named: `statetool encrypt --in-place`.
_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_COMMAND: Final = re.compile(r"`statetool [^`]*`")


def options_in_errors(tree: ast.AST) -> Iterator[str]:
    """Yield the options that the arguments of errors name, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func).endswith("Error"):
            yield from _options(node)


def _options(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and _name(child.func) == "Wording":
            continue
        text = _text(child)
        if text is None:
            yield from _options(child)
            continue
        for option in _OPTION.findall(_COMMAND.sub("", text)):
            yield f"line {child.lineno}: {option}"  # type: ignore[attr-defined] # expressions have lines


def _text(node: ast.AST) -> str | None:
    """The text of a string; what is filled in becomes an ellipsis."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "…" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _name(function: ast.expr) -> str:
    named = function.id if isinstance(function, ast.Name) else ""
    return function.attr if isinstance(function, ast.Attribute) else named


@each_row("path", FILES, ids=[path.relative_to(ROOT).as_posix() for path in FILES])
def test_no_error_names_an_option(path: Path) -> None:
    assert not list(options_in_errors(ast.parse(path.read_text(encoding="utf-8"))))


def test_the_test_finds_options() -> None:
    found = 'raise StoreError(f"{name}: no; --yes does it", Wording("--no", "no=True"), "`statetool x --in-place`")'
    assert list(options_in_errors(ast.parse(found))) == ["line 1: --yes"]
