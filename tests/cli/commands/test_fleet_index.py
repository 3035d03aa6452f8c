"""`statetool fleet index`: what it says about a run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES

pytest.importorskip("duckdb")


def test_each_state_counts_once(statetool: Statetool, folder: Path) -> None:
    """As read, as unchanged or as failed; those that failed are read again in each run."""
    states = folder / "states"
    states.mkdir()
    for name in ("v4-regions", "v4-sensitive", "encrypted"):
        shutil.copy(SAMPLES / f"{name}.tfstate", states)
    (states / "empty.tfstate").touch()
    first = statetool("fleet", "index", "states")
    assert first.text == "statetool.duckdb: 4 states: 2 read, 0 unchanged, 2 failed\n"
    assert first.err.splitlines() == [
        f"statetool: {states}/empty.tfstate: no state",
        f"statetool: {states}/encrypted.tfstate: encrypted, and no encryption configuration was given",
    ]
    again = statetool("fleet", "index", "states")
    assert (again.status, again.text) == (2, "statetool.duckdb: 4 states: 0 read, 2 unchanged, 2 failed\n")
