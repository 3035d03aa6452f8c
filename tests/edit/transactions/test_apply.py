"""Several states are changed as one: what is written, in which order, and what a failure leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statefmt.cli.main import main
from tests.edit.transactions.three_states import BEFORE, CHAIN, CIRCLE, objects, owners, scene

# The objects after the change, by their names.
AFTER_CHAIN = {
    "app": {"own": "app-own", "shared": "app-shared", "subnet": "net-subnet"},
    "net": {"own": "net-own"},
    "far": {"own": "far-own", "shared": "far-shared", "vpc": "app-vpc"},
}
AFTER_CIRCLE = {
    "app": {"own": "app-own", "shared": "far-shared", "vpc": "app-vpc"},
    "net": {"from_app": "app-shared", "own": "net-own"},
    "far": {"own": "far-own", "subnet": "net-subnet"},
}


@pytest.mark.parametrize(("operations", "after"), [(CHAIN, AFTER_CHAIN), (CIRCLE, AFTER_CIRCLE)])
def test_all_are_written(operations: str, after: dict[str, dict[str, str]], tmp_path: Path) -> None:
    made = scene(tmp_path / "s", operations)
    made.apply()
    for name, content in made.contents.items():
        assert objects(content) == {f"terraform_data.{key}": one for key, one in after[name].items()}
        assert json.loads(content)["serial"] == 8
        assert json.loads(content)["lineage"] == f"lineage-{name}"
    assert made.leftovers == set()
    assert len(owners(made.contents)) == sum(map(len, BEFORE.values()))


def test_a_short_history_keeps_what_takes_the_change_back(tmp_path: Path) -> None:
    """The state that is written twice had its content before only in the first of the two edits."""
    made = scene(tmp_path / "s", CIRCLE)
    old = made.contents["app"]
    path = made.folder / "app.tfstate"
    assert main(["history", "--keep", "1", str(path)]) == 0
    made.apply()
    store = made.participants["app"].store
    entries = store.versions()
    assert len(entries) == 2
    assert len({str(entry.joint) for entry in entries}) == 1
    assert store.content(entries[0].before) == old
    assert main(["rm", "-y", "--state", str(path), "terraform_data.own"]) == 0
    assert len(store.versions()) == 1
