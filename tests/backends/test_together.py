"""Several states, one of them in a backend: `split`, `join`, `mv --to-state` and their undo, and its lock."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.backends.documents import Said, document, said
from tests.backends.runs import Folder, ended, prepared
from tests.backends.spots import Kind, Spot, record
from tests.store.local.test_watched import NEEDS_STRACE

# The local state is written before the one in the backend.
KILLED = ("strace", "-f", "-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=1")
HERE = "here.tfstate"
SPLIT = ("split", ".", "--select", f"terraform_data.a={HERE}")
JOIN = ("join", HERE, "--into", ".")
AWAY = ("mv", "--from-state", ".", "--to-state", HERE, "terraform_data.a", "terraform_data.z")
BACK = ("mv", "--from-state", HERE, "--to-state", ".", "terraform_data.z", "terraform_data.a")


@pytest.fixture
def spot(kind: Kind) -> Spot:
    found = kind.spot()
    found.put(document(("a", "b"), 5))
    return found


@pytest.fixture
def folder(spot: Spot, tmp_path: Path) -> Folder:
    return prepared(tmp_path / "folder", record(spot, spot.servers))


def test_there_and_back(spot: Spot, folder: Folder) -> None:
    """Each step, what the state in the backend has then, and what the one here has."""
    steps = (
        (SPLIT, Said(6, ["b"]), Said(1, ["a"])),
        (JOIN, Said(7, ["a", "b"]), Said(2, [])),
        (AWAY, Said(8, ["b"]), Said(3, ["z"])),
        (("undo", "--state", "."), Said(9, ["a", "b"]), Said(4, [])),
        (("undo", "--state", HERE), Said(10, ["b"]), Said(5, ["z"])),
        (BACK, Said(11, ["a", "b"]), Said(6, [])),
        # An empty state is as good as none.
        (SPLIT, Said(12, ["b"]), Said(7, ["a"])),
    )
    for command, there, here in steps:
        done = folder(*command, "-y")
        assert done.status == 0, (command, done.err)
        assert (said(spot.stored()), said(_here(folder))) == (there, here), command
        assert spot.locks() == []


@pytest.mark.slow
def test_locked_by_another(spot: Spot, folder: Folder) -> None:
    (folder.path / HERE).write_bytes(document(("own",), 3))
    assert folder(*AWAY, "-y").status == 0
    old, here = spot.stored(), _here(folder)
    for command in (("split", ".", "--select", "terraform_data.b=new.tfstate"), JOIN, BACK, ("undo", "--state", HERE)):
        with spot.held():
            refused = folder(*command, "-y")
        assert refused.status == 2, command
        assert "locked" in refused.err
        assert (spot.stored(), _here(folder)) == (old, here)
        assert not (folder.path / "new.tfstate").exists()


@pytest.mark.slow
@NEEDS_STRACE
@pytest.mark.parametrize("option", ["--resume", "--abort"])
def test_split_after_a_crash(spot: Spot, folder: Folder, option: str) -> None:
    """The new state has its objects already, and that in the backend is as it was."""
    killed = ended(folder.start(*SPLIT, "-y", under=KILLED))
    assert killed.status == -signal.SIGKILL, killed.err
    refused = folder("taint", "terraform_data.a", "--state", ".")
    assert refused.status == 2
    way_out = folder(*SPLIT, option)
    assert way_out.status == 0, way_out.err
    then = (Said(5, ["a", "b"]), None) if option == "--abort" else (Said(6, ["b"]), Said(1, ["a"]))
    assert (said(spot.stored()), said(_here(folder))) == then
    assert spot.locks() == []


def _here(folder: Folder) -> bytes | None:
    path = folder.path / HERE
    return path.read_bytes() if path.exists() else None
