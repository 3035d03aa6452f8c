"""An apply creates a state in a backend; taken back after a crash, there is none again."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.backends.documents import Said, document, said
from tests.backends.runs import Folder, ended, prepared
from tests.backends.spots import Kind, Spot, record
from tests.store.local.test_watched import NEEDS_STRACE

FILE = "x.stateops.hcl"
# The local state is written after the one in the backend.
KILLED = ("strace", "-f", "-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=1")


@pytest.fixture
def spot(kind: Kind) -> Spot:
    return kind.spot()


@pytest.fixture
def folder(spot: Spot, tmp_path: Path) -> Folder:
    made = prepared(tmp_path / "folder", record(spot, spot.servers))
    (made.path / "here.tfstate").write_bytes(document(("a", "b"), 5))
    (made.path / FILE).write_text(
        'state "here" { path = "here.tfstate" }\nstate "there" {\n  path = "."\n  create = true\n}\n'
        "move {\n  from = state.here.terraform_data.a\n  to = state.there.terraform_data.a\n}\n"
    )
    return made


def test_created(spot: Spot, folder: Folder) -> None:
    planned = folder("plan", FILE, "-o", "p.json")
    assert planned.status == 0, planned.err
    done = folder("apply", "p.json")
    assert done.status == 0, done.err
    assert said(spot.stored()) == Said(1, ["a"])
    assert said((folder.path / "here.tfstate").read_bytes()) == Said(6, ["b"])
    assert spot.locks() == []


@NEEDS_STRACE
@pytest.mark.parametrize("option", [pytest.param("--resume", marks=pytest.mark.slow), "--abort"])
def test_after_a_crash(spot: Spot, folder: Folder, option: str) -> None:
    killed = ended(folder.start("apply", "-y", FILE, under=KILLED))
    assert killed.status == -signal.SIGKILL, killed.err
    assert said(spot.stored()) == Said(1, ["a"])
    found = folder("locks", ".")
    assert found.status == 1
    assert "locked until a change of several states has ended" in found.text
    refused = folder("taint", "terraform_data.a", "--state", ".")
    assert refused.status == 2
    way_out = folder("apply", option, FILE)
    assert way_out.status == 0, way_out.err
    if option == "--abort":
        assert spot.stored() is None
        assert said((folder.path / "here.tfstate").read_bytes()) == Said(5, ["a", "b"])
    else:
        assert said(spot.stored()) == Said(1, ["a"])
        assert said((folder.path / "here.tfstate").read_bytes()) == Said(6, ["b"])
    assert spot.locks() == []
