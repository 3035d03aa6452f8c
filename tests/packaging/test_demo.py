"""`make demo`: shows an upgrade on the terminal, stops on errors, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.program import PROGRAM

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout's samples, and a place for temporary files."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def _run(folder: Path, program: Path | str) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", "samples/demo.sh", str(program)],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMPDIR": str(folder / "tmp")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout.decode()


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_demo(folder: Path) -> None:
    before = _files(folder)
    status, shown = _run(folder, PROGRAM)
    assert status == 0, shown
    assert _files(folder) == before
    assert list((folder / "tmp").iterdir()) == []
    for command in ("upgrade old.tfstate", "check", "list --state new.tfstate", "fmt --check"):
        assert f"\n$ statetool {command}" in shown
    assert re.search(r"^old\.tfstate: format version 3 → 4$", shown, re.MULTILINE)
    assert re.search(r"^1 state checked: ", shown, re.MULTILINE)
    assert "\nmodule.network.module.peering.aws_vpc_peering_connection.office\n" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("program", ["/bin/false", "missing/statetool", "samples/README.md"])
def test_stops_on_errors(program: str, folder: Path) -> None:
    status, shown = _run(folder, program)
    assert status != 0
    assert "$ statetool check" not in shown
    assert list((folder / "tmp").iterdir()) == []
