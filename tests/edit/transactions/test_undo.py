"""A change of several states is undone in all of them or in none, and an undo is undone like any change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.edit.transactions.three_states import CHAIN, CIRCLE, CREATION, owners, scene


def _apart_from_serials(contents: dict[str, bytes]) -> dict[str, bytes]:
    return {
        name: content.replace(b'"serial": %d,' % json.loads(content)["serial"], b"", 1)
        for name, content in contents.items()
    }


@pytest.mark.parametrize("operations", [CHAIN, CIRCLE])
def test_all_are_as_they_were(operations: str, tmp_path: Path) -> None:
    made = scene(tmp_path / "s", operations)
    old = made.contents
    made.apply()
    made.undo()
    assert _apart_from_serials(made.contents) == _apart_from_serials(old)
    assert {json.loads(content)["serial"] for content in made.contents.values()} == {9}
    assert made.leftovers == set()


def test_states_that_were_created_are_empty(tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CREATION)
    old = made.contents
    made.apply()
    made.undo()
    undone = made.contents
    assert _apart_from_serials({name: undone[name] for name in old}) == _apart_from_serials(old)
    assert {name: json.loads(undone[name])["resources"] for name in undone.keys() - old.keys()} == {
        "far": [],
        "fresh": [],
    }
    assert len(owners(undone)) == len(owners(old))
    assert made.leftovers == set()
