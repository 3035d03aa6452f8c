"""Finds what public names stand for, in the source code and without importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from griffe import Alias, Attribute, Class, Expr, ExprName, Function, Module, visit

ROOT: Final = Path(__file__).resolve().parents[2]

Definition: TypeAlias = Module | Class | Function | Attribute


@cache
def module(path: str) -> Module:
    """Return a module or package by its dotted path."""
    file = _file(path)
    assert file is not None, f"{path} is not a module"
    return visit(path, filepath=file, code=file.read_text(encoding="utf-8"))


def public_names(path: str) -> list[str]:
    """Return `__all__` of a module: as written or, without one, what it imports `as` itself and what it defines."""
    found = module(path)
    if found.exports is not None:
        return [str(name) for name in found.exports]
    assert isinstance(found.filepath, Path)
    tree = ast.parse(found.filepath.read_text(encoding="utf-8"))
    imported = [alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"}
    names = {alias.name for alias in imported if alias.name == alias.asname} | defined
    # Constants first, then classes, then functions.
    return sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


@cache
def definition(path: str) -> Definition | None:
    """Return what a dotted path stands for, wherever it is defined; None if that is outside of statetool."""
    if not path.startswith("statefmt"):
        return None
    holder, _, name = path.rpartition(".")
    # What contains it is a module if there is one: a package may offer a function with the name of one of its modules.
    found = module(holder) if _file(holder) is not None else definition(holder)
    member = None if found is None else found.members.get(name)
    if isinstance(member, Alias) and member.target_path != path:
        return definition(member.target_path)
    if isinstance(member, Class | Function | Attribute):
        return member
    return None if _file(path) is None else module(path)


def named_in(annotation: str | Expr | None) -> Iterator[tuple[str, Definition]]:
    """Yield the names in an annotation that statetool defines, with what they stand for."""
    if isinstance(annotation, Expr):
        for part in annotation.iterate(flat=True):
            if isinstance(part, ExprName) and (found := definition(part.canonical_path)) is not None:
                yield part.name, found


def comment_above(attribute: Attribute) -> str:
    """Return the comment above an assignment, "" if there is none."""
    assert isinstance(attribute.filepath, Path)
    lines = attribute.filepath.read_text(encoding="utf-8").splitlines()[: (attribute.lineno or 1) - 1]
    found: list[str] = []
    while lines and lines[-1].startswith("# "):
        found.insert(0, lines.pop().removeprefix("# "))
    return "\n".join(found)


def _file(path: str) -> Path | None:
    """Return the file of a module; None if the path is not that of a module."""
    if not path:
        return None
    place = ROOT.joinpath(*path.split("."))
    return next((file for file in (place / "__init__.py", place.with_suffix(".py")) if file.is_file()), None)
