"""Several states are changed as one: what is written, in which order, and what a failure leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
