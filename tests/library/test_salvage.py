"""Salvage from a program: it writes over none of its sources."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from statefmt import StoreError, run_context
from statefmt.salvage import salvage_state, write_salvaged
from tests.cli.states import SAMPLES

STATE = (SAMPLES / "v4-regions.tfstate").read_bytes()


@pytest.mark.parametrize("out", ["torn", "backup", "link", "./backup"])
def test_sources_are_never_written(out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("torn").write_bytes(STATE[: len(STATE) // 2])
    Path("backup").write_bytes(STATE)
    os.link("backup", "link")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    found = salvage_state(run_context(), "torn", backups=["backup"])
    with pytest.raises(StoreError, match="salvage reads this file"):
        write_salvaged(run_context(), found, out, overwrite=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    write_salvaged(run_context(), found, "new")
    assert Path("new").exists()
