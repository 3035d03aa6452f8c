"""The real programs read the states of the benchmarks, with all that is in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.shapes import SHAPES
from tests.compat.program import Program

_SIZE = 300_000


def _count(tree: dict[str, Any]) -> int:
    """How many instances a state has: deposed objects are none."""
    if tree["version"] == 3:
        return sum(len(module["resources"]) for module in tree["modules"])
    return sum("deposed" not in instance for resource in tree["resources"] for instance in resource["instances"])


@pytest.mark.parametrize("name", SHAPES)
def test_all_instances_are_listed(real: Program, folder: Path, name: str) -> None:
    if name == "format-3" and real.engine == "opentofu" and real.minor >= (1, 13):
        pytest.skip("OpenTofu 1.13 and later read no format before 4")
    path = folder / "shape.tfstate"
    SHAPES[name].write(path, _SIZE)
    listed = real.run(folder, "state", "list", f"-state={path.name}")
    # Without a word, Terraform drops resources whose instances have provider instances.
    dropped = name == "provider-keys" and (real.engine == "terraform" or real.minor < (1, 9))
    assert listed.status == 0, listed
    assert len(listed.out.splitlines()) == (0 if dropped else _count(json.loads(path.read_bytes())))
