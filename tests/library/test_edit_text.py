"""`State.edit_text`: a state as text, for editors of any kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

import statefmt
from statefmt import StateError, StoreError, SurgeryError
from tests.cli.states import SAMPLES

REGIONS: Final = (SAMPLES / "v4-regions.tfstate").read_bytes()
LARGER: Final = REGIONS.replace(b"t3.small", b"t3.large")
WEB: Final = 'aws_instance.web["eu-west-1"]'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(REGIONS)
    return path


def test_writes_the_text_that_was_proposed_last(path: Path) -> None:
    state = statefmt.open(path)
    results: list[statefmt.EditResult] = []
    with state.edit_text(message="resize", written=results.append) as edit:
        assert edit.text == REGIONS
        assert not edit.is_encrypted
        assert edit.damage is None
        edit.propose(REGIONS.replace(b"t3.small", b"t3.huge"))
        assert edit.propose(LARGER).serial == 59
        assert path.read_bytes() == REGIONS
        assert not edit.is_written
        assert edit.write().written
    assert path.read_bytes() == LARGER.replace(b'"serial": 58,', b'"serial": 59,')
    assert [result.backup for result in results] == list(path.parent.glob("*.backup"))
    assert state.serial == 59
    assert [one.command for one in state.history()] == ["resize"]
    state.undo()
    assert path.read_bytes() == REGIONS.replace(b'"serial": 58,', b'"serial": 60,')


def test_writes_nothing_without_a_call(path: Path) -> None:
    with statefmt.open(path).edit_text() as edit:
        edit.propose(LARGER)
    with statefmt.open(path).edit_text() as edit, pytest.raises(SurgeryError, match="no text was proposed"):
        edit.write()
    # The lock is gone.
    with pytest.raises(SurgeryError, match="the edit has ended"):
        edit.write()
    with pytest.raises(SurgeryError, match="the edit has ended"):
        edit.propose(LARGER)
    assert path.read_bytes() == REGIONS


def test_a_refused_text_is_forgotten_and_its_places_are_known(path: Path) -> None:
    broken = REGIONS.replace(b'"mode": "managed"', b'"mode": "odd"', 1)
    with statefmt.open(path).edit_text() as edit:
        edit.propose(LARGER)
        with pytest.raises(StateError) as caught:
            edit.propose(broken)
        finding = caught.value.reasons[0]
        line = broken[: broken.index(b'"odd"')].count(b"\n") + 1
        assert edit.positions(broken, [finding])[finding.pointer] == (line, 7)
        with pytest.raises(SurgeryError, match="no text was proposed"):
            edit.write()
    assert path.read_bytes() == REGIONS


def test_the_attributes_of_one_instance(path: Path) -> None:
    with statefmt.open(path).edit_text(WEB) as edit:
        attributes = json.loads(edit.text)
        assert attributes["id"] == "i-0e11a22b33c44d55e"
        with pytest.raises(SurgeryError, match="line 1"):
            edit.propose(b"{")
        with pytest.raises(SurgeryError, match="must be a JSON object"):
            edit.propose(b"[]")
        edit.propose(edit.text.replace(b"t3.small", b"t3.huge"))
        edit.write()
    # The deposed object of the instance keeps its type.
    assert path.read_bytes() == REGIONS.replace(b"t3.small", b"t3.huge", 1).replace(b'"serial": 58,', b'"serial": 59,')


def test_findings_inside_of_attributes_have_a_place_in_their_text(path: Path) -> None:
    with statefmt.open(path).edit_text(WEB) as edit:
        block = next(n for n, one in enumerate(json.loads(REGIONS)["resources"]) if one["type"] == "aws_instance")
        pointer = f"/resources/{block}/instances/0"
        inside = statefmt.Finding("INS003", statefmt.Severity.ERROR, "", pointer=f"{pointer}/attributes/instance_type")
        outside = statefmt.Finding("ADR008", statefmt.Severity.ERROR, "", pointer=pointer)
        line = edit.text[: edit.text.index(b'"instance_type"')].count(b"\n") + 1
        assert edit.positions(edit.text, [inside, outside]) == {inside.pointer: (line, 3)}


def test_a_damaged_state_is_mended_and_the_edit_undone(path: Path) -> None:
    torn = REGIONS.replace(b'"resources": [', b'"resources": [ ,', 1)
    path.write_bytes(torn)
    state = statefmt.open(path, read=False)
    with pytest.raises(StateError), state.edit_text(WEB):
        pass
    with state.edit_text() as edit:
        assert edit.text == torn
        assert edit.damage is not None
        edit.propose(REGIONS)
        edit.write()
    assert path.read_bytes() == REGIONS.replace(b'"serial": 58,', b'"serial": 59,')
    state.undo()
    assert path.read_bytes() == torn


def test_a_write_that_failed_can_be_repeated(path: Path) -> None:
    with statefmt.open(path).edit_text(backup=path.parent / "missing/backup") as edit:
        edit.propose(LARGER)
        with pytest.raises(StoreError):
            edit.write()
        assert path.read_bytes() == REGIONS
        assert not edit.is_written
        (path.parent / "missing").mkdir()
        edit.write()
    assert path.read_bytes() == LARGER.replace(b'"serial": 58,', b'"serial": 59,')
    assert (path.parent / "missing/backup").read_bytes() == REGIONS


def test_a_dry_run_and_a_copy_leave_the_state(path: Path) -> None:
    out = path.parent / "copy.tfstate"
    with statefmt.open(path).edit_text(dry_run=True) as edit:
        edit.propose(LARGER)
        assert not edit.write().written
    with statefmt.open(path).edit_text(out=out) as edit:
        edit.propose(LARGER)
        assert edit.write().written
    with pytest.raises(StoreError, match="out="), statefmt.open(path).edit_text(out=out, backup="b"):
        pass
    assert path.read_bytes() == REGIONS
    assert out.read_bytes() == LARGER.replace(b'"serial": 58,', b'"serial": 59,')
