"""Records are made with names where the type checker would not notice a value in the wrong field.

A field that was added before another one once took its value: the checker takes a bool for an int. So no two values of
a call may land in fields that are bool or int, one of them bool, by their position; nor may five or more be given by
position if two neighbours are of one type of these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

_SOURCE: Final = Path(__file__).parents[2] / "statefmt"
_NUMBERS: Final = ("bool", "int")
_ALIKE: Final = (*_NUMBERS, "bytes", "Path")
_MANY: Final = 5


class Unnamed(NamedTuple):
    """A call that gives values by position: its file, and the fields that get them."""

    path: Path
    call: ast.Call
    fields: tuple[str, ...]


def test_values_that_can_be_mistaken_are_named() -> None:
    trees = {path: ast.parse(path.read_bytes()) for path in _SOURCE.rglob("*.py")}
    assert [f"{one.path.name}:{one.call.lineno}" for one in unnamed(trees)] == []


def test_the_rule_sees_a_mistake() -> None:
    record = "class _Open(NamedTuple):\n    start: int\n    end: int | None\n    is_damaged: bool\n"
    assert list(unnamed({Path("a.py"): ast.parse(f"{record}_Open(1, 2, True)")}))
    assert not list(unnamed({Path("a.py"): ast.parse(f"{record}_Open(start=1, end=2, is_damaged=True)")}))


def unnamed(trees: dict[Path, ast.Module]) -> Iterator[Unnamed]:
    """Yield the calls that break the rule. Records of one name that two modules have are left out."""
    records: dict[str, list[list[tuple[str, str]]]] = {}
    for tree in trees.values():
        for one in ast.walk(tree):
            if isinstance(one, ast.ClassDef) and _is_record(one):
                records.setdefault(one.name, []).append(_fields(one))
    for path, tree in trees.items():
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            known = records.get(call.func.id, [])
            if len(known) != 1 or any(isinstance(one, ast.Starred) for one in call.args):
                continue
            given = known[0][: len(call.args)]
            if _may_be_mistaken([kind for _, kind in given]):
                yield Unnamed(path, call, tuple(name for name, _ in given))


def _is_record(one: ast.ClassDef) -> bool:
    made = [ast.unparse(each) for each in (*one.decorator_list, *one.bases)]
    return any(each.startswith(("dataclass", "dataclasses.dataclass")) for each in made) or any(
        each in ("Struct", "NamedTuple", "FormatObject") or each.endswith(".Struct") for each in made
    )


def _fields(one: ast.ClassDef) -> list[tuple[str, str]]:
    return [
        (each.target.id, ast.unparse(each.annotation).removesuffix(" | None"))
        for each in one.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]


def _may_be_mistaken(kinds: list[str]) -> bool:
    numbers = [one for one in kinds if one in _NUMBERS]
    if len(numbers) > 1 and "bool" in numbers:
        return True
    neighbours = pairwise(kinds)
    return len(kinds) >= _MANY and any(one == other and one in _ALIKE for one, other in neighbours)
