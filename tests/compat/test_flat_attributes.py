"""`upgrade --schemas` with the schemas of a real program, which plans the same before and after."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Program
from tests.lifecycle.plans import recorded_plans


@pytest.mark.parametrize("plan", ["052-state-flatmap", "152-state-flatmap"])
def test_plans_the_same_after_the_upgrade(plan: str, real: Program, statetool: Statetool, folder: Path) -> None:
    files = recorded_plans()[plan]
    (folder / "main.tf").write_bytes(files["main.tf"])
    state = folder / "terraform.tfstate"
    state.write_bytes(files["before.tfstate"])
    assert real.run(folder, "init", "-input=false").status == 0
    schemas = real.run(folder, "providers", "schema", "-json")
    assert schemas.status == 0, schemas.err
    (folder / "schemas.json").write_text(schemas.out)
    before = real.run(folder, "plan", "-input=false", "-no-color")
    result = statetool("upgrade", "--in-place", "--schemas", "schemas.json", "terraform.tfstate")
    assert result.status == 0
    # Both programs refuse to decode attributes of any type.
    assert "terraform_data.a" in result.err
    assert "input can be of any type" in result.err
    flat = json.loads(files["before.tfstate"])["resources"][0]["instances"][0]["attributes_flat"]
    assert json.loads(state.read_bytes())["resources"][0]["instances"][0]["attributes_flat"] == flat
    assert real.run(folder, "plan", "-input=false", "-no-color") == before
