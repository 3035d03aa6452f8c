"""`check --for`: what a release would lose, as findings, and the same as `downgrade` refuses."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt.cli.main import main
from statefmt.formats.losses import losses
from statefmt.formats.releases import parse_release
from statefmt.lint.check import check
from tests.tables import each_row

_DATA: Final = Path(__file__).parents[2] / "conformance" / "releases.jsonl.xz"
_CASES: Final[list[dict[str, Any]]] = [json.loads(line) for line in lzma.decompress(_DATA.read_bytes()).splitlines()]
_READ: Final = [case for case in _CASES if case["releases"]["1.13"]["exit"] == 0]


@each_row("case", _READ, ids=[case["id"] for case in _READ])
@each_row("release", ["1.8", "1.9", "1.12", "1.13", "terraform-1.5"])
def test_a_finding_for_each_loss(case: dict[str, Any], release: str) -> None:
    data, target = case["input"].encode(), parse_release(release)
    snapshot = statefmt.read(data).snapshot
    findings = [
        (finding.address, finding.pointer)
        for finding in check(data, select=["REL"], release=target)
        if "format version" not in finding.detail
    ]
    version_4 = json.loads(data)["version"] == 4
    assert sorted(findings) == sorted(
        (loss.address, loss.pointer if version_4 else "") for loss in losses(snapshot, target)
    )


@each_row("case", _CASES, ids=[case["id"] for case in _CASES])
def test_nothing_without_a_release(case: dict[str, Any]) -> None:
    assert [finding for finding in check(case["input"].encode(), select=["REL"]) if finding.code[:3] == "REL"] == []


# A recorded state, the arguments, and the exit status.
_STATUSES: Final = [
    ("rel/001-keyed-only", "--for 1.8", 1),
    ("rel/001-keyed-only", "--for 1.9", 0),
    ("rel/001-keyed-only", "", 0),
    ("rel/001-keyed-only", "--for 1.8 --ignore REL", 0),
    ("rel/044-skip-destroy", "--for 1.9", 1),
    ("rel/044-skip-destroy", "--for 1.12", 0),
    ("rel/088-v3", "--for 1.13", 1),
    ("rel/001-keyed-only", "--for 9.9", 2),
]


@pytest.mark.parametrize(("name", "options", "status"), _STATUSES)
def test_exit_status(name: str, options: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case = next(case for case in _CASES if case["id"] == name)
    Path("state").write_text(case["input"])
    assert main(["check", "--no-settings", "--fail-on", "error", *options.split(), "state"]) == status
