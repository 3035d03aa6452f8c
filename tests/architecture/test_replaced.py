"""`dataclasses.replace` takes dataclasses, and `msgspec.structs.replace` takes structs.

The type checker accepts both for both, and the wrong one fails when it runs. Each call names fields that some class of
the right kind has; a call whose fields only classes of the other kind have is wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

_SOURCE: Final = Path(__file__).parents[2] / "statefmt"
_DATACLASS: Final = "dataclasses.replace"
_STRUCT: Final = "msgspec.structs.replace"


def test_fields_are_replaced_in_classes_that_have_them() -> None:
    trees = {path: ast.parse(path.read_bytes()) for path in _SOURCE.rglob("*.py")}
    found = list(mistaken(trees))
    assert [f"{path.name}:{call.lineno}: {ast.unparse(call)}" for path, call in found] == []


_CLASSES: Final = "class S(Struct): a: int\n@dataclass\nclass D: b: int\n@dataclass\nclass E(D): c: int\n"


@pytest.mark.parametrize(
    ("call", "is_right"),
    [
        ("import dataclasses\ndataclasses.replace(x, a=1)", False),
        ("import dataclasses\ndataclasses.replace(x, b=1, c=2)", True),
        ("from dataclasses import replace\nreplace(x, a=1)", False),
        ("from dataclasses import replace\nreplace(x, **some)", True),
        ("from msgspec.structs import replace\nreplace(x, a=1)", True),
        ("from msgspec import structs\nstructs.replace(x, b=1)", False),
        ("import msgspec\nmsgspec.structs.replace(x, c=1)", False),
        ("from copy import replace\nreplace(x, b=1)", False),
    ],
)
def test_the_rule_sees_a_mistake(call: str, is_right: bool) -> None:
    assert (not list(mistaken({Path("a.py"): ast.parse(_CLASSES + call)}))) is is_right


def mistaken(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, ast.Call]]:
    """Yield the calls with fields that no class of the right kind has together, and all calls of `copy.replace`."""
    classes = [one for tree in trees.values() for one in ast.walk(tree) if isinstance(one, ast.ClassDef)]
    own: dict[str, set[str]] = {}
    for one in classes:
        own.setdefault(one.name, set()).update(
            each.target.id for each in one.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        )
    bases = {one.name: [ast.unparse(base).partition("[")[0] for base in one.bases] for one in classes}
    data = {one.name for one in classes if any("dataclass" in ast.unparse(each) for each in one.decorator_list)}
    kinds = {
        _DATACLASS: [_fields(name, own, bases) for name in data],
        _STRUCT: [_fields(name, own, bases) for name in own if name not in data],
        "copy.replace": [],
    }
    for path, tree in trees.items():
        imported = _imported(tree)
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and (function := _name(call.func, imported)) in kinds:
                given = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
                if not any(given <= fields for fields in kinds[function]):
                    yield path, call


def _fields(name: str, own: dict[str, set[str]], bases: dict[str, list[str]]) -> set[str]:
    inherited = (_fields(base, own, bases) for base in bases.get(name, ()) if base in own and base != name)
    return own[name].union(*inherited)


def _imported(tree: ast.Module) -> dict[str, str]:
    """Return the full names of imported modules and functions by their names in a module."""
    found: dict[str, str] = {}
    for one in ast.walk(tree):
        if isinstance(one, ast.Import):
            found.update((each.asname or each.name, each.name) for each in one.names)
        elif isinstance(one, ast.ImportFrom) and one.module:
            found.update((each.asname or each.name, f"{one.module}.{each.name}") for each in one.names)
    return found


def _name(function: ast.expr, imported: dict[str, str]) -> str:
    first, dot, rest = ast.unparse(function).partition(".")
    return imported.get(first, first) + dot + rest
