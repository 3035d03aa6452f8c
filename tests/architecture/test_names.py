"""A name means one thing, and says whether others may use what it names."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.tables import each_row

ROOT: Final = Path(__file__).resolve().parents[2] / "statefmt"
FILES: Final = sorted(ROOT.rglob("*.py"))
MODULES: Final = {path.relative_to(ROOT.parent).with_suffix("").as_posix().replace("/", "."): path for path in FILES}
# Their modules are entries of a table or found by name, wherever they are imported.
COLLECTIONS: Final = ("statefmt.cli", "statefmt.hcl.functions", "statefmt.lint.rules", "statefmt.render")


def imported(module: str, tree: ast.AST) -> Iterator[str]:
    """The modules of statetool that a module imports, by their full names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def types(tree: ast.Module) -> Iterator[str]:
    """The classes and type aliases of a module that others may use."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name
        elif (
            isinstance(node, ast.AnnAssign)
            and ast.unparse(node.annotation) == "TypeAlias"
            and not ast.unparse(node.target).startswith("_")
        ):
            yield ast.unparse(node.target)


def users() -> dict[str, set[str]]:
    """Which modules import a module."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, path in MODULES.items():
        for name in imported(module, ast.parse(path.read_bytes())):
            found[name].add(module)
    return found


def package(module: str) -> str:
    return module.removesuffix(".__init__") if module.endswith(".__init__") else module.rpartition(".")[0]


def is_private(module: str) -> bool:
    return module.rpartition(".")[2].startswith("_") and not module.endswith(("__init__", "__main__"))


def test_private_modules_are_used_in_their_package_only() -> None:
    wrong = {
        (user, module)
        for module, found in users().items()
        if module in MODULES and is_private(module)
        for user in found
        if not f"{user}.".startswith(f"{package(module)}.")
    }
    assert wrong == set()


def test_modules_that_only_their_package_uses_are_private() -> None:
    wrong = {
        module
        for module, found in users().items()
        if module in MODULES and not is_private(module) and package(module) != "statefmt"
        if not module.startswith(COLLECTIONS) and {package(user) for user in found} == {package(module)}
    }
    assert wrong == set()


def test_a_type_has_a_name_of_its_own() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for module, path in MODULES.items():
        for name in types(ast.parse(path.read_bytes())):
            homes[name].append(module)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


@each_row("path", sorted((ROOT / "lint" / "rules").glob("*/*_*.py")), ids=lambda path: str(path.stem))
def test_a_rule_is_in_the_file_of_its_name(path: Path) -> None:
    if path.stem == "__init__":
        return
    code, _, name = path.stem.partition("_")
    assert path.parent.name == code[:3]
    assert f"Code.{name.upper()}" in path.read_text(encoding="utf-8").partition("RULE")[2].partition(")")[0]
