"""`undo` over damaged states: a repair can be undone, and what a backup replaced comes back byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

import statefmt
from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES

NAME = "terraform.tfstate"
TWICE = (SAMPLES / "broken" / "duplicate-instance.tfstate").read_bytes()
REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
# What a crash leaves of a state.
TORN = {"cut": REGIONS[:1000], "zeroed": REGIONS[:1000] + b"\0" * 200, "empty": b""}


@pytest.fixture
def state(folder: Path) -> Path:
    path = folder / NAME
    path.write_bytes(TWICE)
    return path


def _twice(serial: int) -> bytes:
    return TWICE.replace(b'"serial": 5,', b'"serial": %d,' % serial)


def test_a_repair_is_undone_and_redone(state: Path, statetool: Statetool) -> None:
    statetool("repair", "--choose", "ADR002 * keep=first", "--yes")
    repaired = state.read_bytes()
    assert b'"serial": 6,' in repaired
    done = statetool("undo")
    assert done.status == 0
    assert "the restored content is damaged" in " ".join(done.text.split())
    assert "appears more than once" in " ".join(done.text.split())
    assert state.read_bytes() == _twice(7)
    assert statetool("undo").status == 0
    assert state.read_bytes() == repaired.replace(b'"serial": 6,', b'"serial": 8,')


def test_in_a_program(state: Path, statetool: Statetool) -> None:
    statetool("repair", "--choose", "ADR002 * keep=first", "--yes")
    statefmt.open(state).undo()
    assert state.read_bytes() == _twice(7)
    result = statefmt.open(state, read=False).undo()
    assert (result.serial, len(statefmt.open(state).select())) == (8, 2)


@pytest.mark.parametrize("case", TORN)
def test_torn_content_comes_back_as_it_was(case: str, state: Path, folder: Path, statetool: Statetool) -> None:
    """The serial is unchanged, too: it cannot be edited in text that is not JSON."""
    (folder / "backup").write_bytes(REGIONS)
    state.write_bytes(TORN[case])
    assert statetool("restore", "backup", "--yes").status == 0
    done = statetool("undo")
    assert (done.status, state.read_bytes()) == (0, TORN[case])
    statetool("undo")
    assert len(statefmt.open(state).select()) == len(statefmt.open(folder / "backup").select())


def test_a_state_that_was_torn_since(state: Path, statetool: Statetool) -> None:
    state.write_bytes(REGIONS)
    statetool("mv", "aws_vpc.main", "aws_vpc.net")
    state.write_bytes(REGIONS[:1000].replace(b'"serial": 58', b'"serial": 70'))
    torn = state.read_bytes()
    refused = statetool("undo")
    assert (refused.status, state.read_bytes()) == (2, torn)
    assert "--discard-changes" in refused.err
    assert statetool("undo", "--discard-changes").status == 0
    assert state.read_bytes() == REGIONS.replace(b'"serial": 58', b'"serial": 71')


@pytest.mark.parametrize("content", [b"\x89PNG\r\n", b"[1, 2]", b'{"name": "package"}'])
def test_a_file_that_is_no_state_stays(content: bytes, state: Path, statetool: Statetool) -> None:
    state.write_bytes(REGIONS)
    statetool("mv", "aws_vpc.main", "aws_vpc.net")
    state.write_bytes(content)
    assert statetool("undo", "--discard-changes").status == 2
    assert state.read_bytes() == content
