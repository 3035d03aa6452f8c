"""A state to edit, and a folder in memory for the copies."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from statefmt.cli.copy_places import is_in_memory
from tests.cli.conftest import Program
from tests.cli.states import SAMPLES


@pytest.fixture
def state(folder: Path) -> Path:
    """A plain state with indentation, in the current folder."""
    path = folder / "terraform.tfstate"
    path.write_bytes((SAMPLES / "v4-regions.tfstate").read_bytes())
    return path


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch, program: Program) -> Iterator[Path]:
    """A folder in memory, which XDG_RUNTIME_DIR names."""
    shared = Path("/dev/shm")
    if not is_in_memory(shared):
        pytest.skip("/dev/shm is not in memory here")
    path = Path(tempfile.mkdtemp(dir=shared))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(path))
    program.environment = {**program.environment, "XDG_RUNTIME_DIR": str(path)}
    yield path
    shutil.rmtree(path)


def script(folder: Path, text: str, name: str = "editor") -> str:
    """Make an editor of a shell script, which gets the path of the copy; return its path."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)
