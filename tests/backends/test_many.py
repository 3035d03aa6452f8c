"""Many processes edit one state at the same time: each waits for the lock, and no edit is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backends.documents import Said, document, said
from tests.backends.runs import ended, prepared
from tests.backends.spots import Kind, record


@pytest.mark.parametrize("kind", ["pg", "s3-both"], indirect=True)
def test_a_few_processes(kind: Kind, tmp_path: Path) -> None:
    _edited_by(4, kind, tmp_path)


@pytest.mark.slow
def test_many_processes(kind: Kind, tmp_path: Path) -> None:
    _edited_by(32, kind, tmp_path)


def _edited_by(number: int, kind: Kind, tmp_path: Path) -> None:
    spot = kind.spot()
    spot.put(document((f"a{each}" for each in range(number)), 1))
    folder = prepared(tmp_path / "folder", record(spot, spot.servers))
    started = [
        folder.start("mv", f"terraform_data.a{each}", f"terraform_data.b{each}", "--lock-timeout", "10m")
        for each in range(number)
    ]
    results = [ended(process) for process in started]
    assert [(result.status, result.err) for result in results if result.status != 0] == []
    assert said(spot.stored()) == Said(1 + number, sorted(f"b{each}" for each in range(number)))
    assert spot.locks() == []
