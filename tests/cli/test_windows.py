"""What Windows lacks is not needed to read, check, compare and convert; writing files there is refused.

The process runs without the modules and functions that Python lacks on Windows: see tests/cli/windows.py. It does not
replace a run on Windows.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.states import ROOT
from tests.tables import each_row

REGIONS = "samples/v4-regions.tfstate"


def _run(line: str, folder: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tests.cli.windows", *line.split()]
    shutil.copytree(ROOT / "samples", folder / "samples", dirs_exist_ok=True)
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "LC_ALL": "C.UTF-8"}
    return subprocess.run(command, cwd=folder, env=environment, input=stdin, capture_output=True, check=False)


@each_row(
    ("line", "status"),
    [
        ("--version", 0),
        (f"list --state {REGIONS}", 0),
        (f"show --state {REGIONS}", 0),
        (f"providers {REGIONS}", 0),
        (f"outputs {REGIONS}", 0),
        (f"stats {REGIONS}", 0),
        (f"graph {REGIONS}", 0),
        (f"check {REGIONS}", 0),
        ("check samples", 2),
        (f"diff {REGIONS} samples/v4-regions-later.tfstate", 1),
        ("fmt --check samples/v4-compact.tfstate", 0),
        ("upgrade samples/v4-hand-edited.tfstate", 0),
        ("downgrade --for 1.8 samples/v4-compact.tfstate", 0),
        ("encryption-info samples/encrypted.tfstate", 0),
        (f"mv aws_vpc.main aws_vpc.net --dry-run --state {REGIONS}", 0),
        ("rule STA001", 0),
        ("releases", 0),
    ],
)
def test_reading_checking_comparing(line: str, status: int, tmp_path: Path) -> None:
    done = _run(line, tmp_path)
    assert done.returncode == status, done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_editing_through_a_pipe(tmp_path: Path) -> None:
    state = (ROOT / REGIONS).read_bytes()
    done = _run("mv aws_vpc.main aws_vpc.net --state -", tmp_path, state)
    assert done.returncode == 0, done.stderr.decode()
    assert b'"name": "net"' in done.stdout


@pytest.mark.parametrize(
    "line",
    [
        f"mv aws_vpc.main aws_vpc.net --state {REGIONS}",
        f"mv aws_vpc.main aws_vpc.net --state {REGIONS} --out new.tfstate",
        "upgrade --in-place samples/v4-hand-edited.tfstate",
        f"undo {REGIONS}",
        f"history {REGIONS}",
    ],
)
def test_writing_is_refused(line: str, tmp_path: Path) -> None:
    done = _run(line, tmp_path)
    assert done.returncode == 2
    assert b"statetool does not write files on Windows" in done.stderr
    assert b"Traceback" not in done.stderr
    assert (tmp_path / REGIONS).read_bytes() == (ROOT / REGIONS).read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"samples"}
