"""A real Terraform and statetool edit one state in a backend, in turn and at the same time: no edit is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.backends.documents import Said, document, said
from tests.backends.runs import Folder
from tests.backends.spots import Kind, Spot
from tests.compat.program import Program

pytestmark = pytest.mark.compat


def _initialised(real: Program, path: Path, spot: Spot) -> Folder:
    backend = {name: value for name, value in spot.config(spot.servers).items() if value is not None}
    path.mkdir()
    (path / "backend.tf.json").write_text(json.dumps({"terraform": {"backend": {spot.backend: backend}}}))
    done = real.run(path, "init", "-input=false")
    assert done.status == 0, done.err
    return Folder(path)


def _moves(who: str, number: int) -> Sequence[tuple[str, str]]:
    return [(f"terraform_data.{who}{each}", f"terraform_data.{who}{each + 1}") for each in range(number)]


def _by_statetool(folder: Folder, old: str, new: str) -> None:
    done = folder("mv", "--lock-timeout", "2m", old, new)
    assert done.status == 0, done.err


def _by_program(real: Program, folder: Folder, old: str, new: str) -> None:
    while True:
        done = real.run(folder.path, "state", "mv", "-lock-timeout=2m", old, new)
        if done.status == 0:
            return
        # Terraform asks who holds the lock after it was refused, and gives up at once if nobody does any more.
        words = done.err
        assert "Error acquiring the state lock" in words, words
        assert "Lock Info:" not in words, words


def _end_sessions(real: Program, number: int) -> None:
    """Let the library end its process now and then: it keeps the connections of all its commands open."""
    if number % 10 == 9:
        real.close()


@pytest.mark.parametrize("number", [6, pytest.param(50, marks=pytest.mark.slow)])
def test_in_turn(number: int, real: Program, kind: Kind, tmp_path: Path) -> None:
    spot = kind.spot()
    spot.put(document(["m0"], 1))
    folder = _initialised(real, tmp_path / "folder", spot)
    for each, (old, new) in enumerate(_moves("m", number)):
        if each % 2:
            _by_statetool(folder, old, new)
        else:
            _by_program(real, folder, old, new)
        _end_sessions(real, each)
        assert said(spot.stored()) == Said(2 + each, [new.partition(".")[2]])
    assert spot.locks() == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [50])
def test_at_the_same_time(number: int, real: Program, kind: Kind, tmp_path: Path) -> None:
    spot = kind.spot()
    spot.put(document(["s0", "t0"], 1))
    folder = _initialised(real, tmp_path / "folder", spot)

    def all_by_statetool() -> None:
        for old, new in _moves("s", number // 2):
            _by_statetool(folder, old, new)

    with ThreadPoolExecutor(1) as pool:
        ours = pool.submit(all_by_statetool)
        for each, (old, new) in enumerate(_moves("t", number // 2)):
            _by_program(real, folder, old, new)
            _end_sessions(real, each)
        ours.result()
    assert said(spot.stored()) == Said(1 + number // 2 * 2, [f"s{number // 2}", f"t{number // 2}"])
    assert spot.locks() == []
