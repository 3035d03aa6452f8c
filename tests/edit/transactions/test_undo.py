"""A change of several states is undone in all of them or in none, and an undo is undone like any change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statefmt.cli.main import main
from statefmt.edit.changes import Ending
from statefmt.edit.operations.undo import Undo
from statefmt.model.errors import StoreError
from tests.edit.transactions.three_states import CHAIN, CIRCLE, CREATION, UndoScene, owners, scene, state, undo_scene
from tests.edit.transactions.undo_model import failures


def _apart_from_serials(contents: dict[str, bytes]) -> dict[str, bytes]:
    return {
        name: content.replace(b'"serial": %d,' % json.loads(content)["serial"], b"", 1)
        for name, content in contents.items()
    }


def _interrupt(made: UndoScene) -> None:
    (made.far / "write.before.lost").write_text("1 2 3")
    with pytest.raises(StoreError, match=r"The states stay locked\. `statetool undo --resume --state .*app\.tfstate`"):
        made.apply()
    (made.far / "write.before.lost").unlink()


@pytest.fixture
def half_done(tmp_path: Path) -> UndoScene:
    """An undo that stopped after its first write, since the answer to the second one was lost."""
    made = undo_scene(tmp_path / "s", CIRCLE)
    _interrupt(made)
    return made


@pytest.mark.parametrize("operations", [CHAIN, CIRCLE])
def test_all_are_as_they_were(operations: str, tmp_path: Path) -> None:
    made = scene(tmp_path / "s", operations)
    old = made.contents
    made.apply()
    made.undo()
    assert _apart_from_serials(made.contents) == _apart_from_serials(old)
    assert {json.loads(content)["serial"] for content in made.contents.values()} == {9}
    assert made.leftovers == set()


def test_states_that_were_created_are_empty(tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CREATION)
    old = made.contents
    made.apply()
    made.undo()
    undone = made.contents
    assert _apart_from_serials({name: undone[name] for name in old}) == _apart_from_serials(old)
    assert {name: json.loads(undone[name])["resources"] for name in undone.keys() - old.keys()} == {
        "far": [],
        "fresh": [],
    }
    assert len(owners(undone)) == len(owners(old))
    assert made.leftovers == set()


def test_states_that_are_empty_are_created_again(tmp_path: Path) -> None:
    """They keep their lineages."""
    made = scene(tmp_path / "s", CREATION)
    made.apply()
    new = made.contents
    for _ in range(2):
        made.undo()
        empty = made.contents
        made.apply()
        assert _apart_from_serials(made.contents) == _apart_from_serials(new)
        assert {json.loads(content)["serial"] for content in made.contents.values()} == {
            json.loads(empty["fresh"])["serial"] + 1,
            json.loads(empty["app"])["serial"] + 1,
        }
    assert made.leftovers == set()


def test_a_refused_write_is_taken_back(tmp_path: Path) -> None:
    made = undo_scene(tmp_path / "s", CIRCLE)
    new = made.contents
    (made.far / "write.before.broken").touch()
    with pytest.raises(StoreError, match=r"the service is down\. All other states are as they were before$"):
        made.apply()
    assert made.contents == new
    assert made.leftovers == set()
    (made.far / "write.before.broken").unlink()
    # What was taken back has entries in some of the histories, and does not matter.
    made.apply()
    assert {json.loads(content)["serial"] for content in made.contents.values()} == {9}


@pytest.mark.parametrize("ending", [Ending.FINISH, Ending.TAKE_BACK])
def test_a_short_history_keeps_what_ends_the_undo(ending: Ending, tmp_path: Path) -> None:
    """Histories keep one edit, and need those of the change and those of its undo."""
    made = undo_scene(tmp_path / "s", CIRCLE)
    new = made.contents
    for name in ("app", "net"):
        path = made.folder / f".{name}.tfstate.statetool" / "history.json"
        path.write_text(path.read_text().replace('"keep": 20', '"keep": 1'))
    _interrupt(made)
    made.end_undo(ending)
    assert made.leftovers == set()
    if ending is Ending.TAKE_BACK:
        assert made.contents == new
    else:
        assert owners(made.contents) == owners(scene(tmp_path / "other", CIRCLE).contents)


def test_what_somebody_else_has_written_is_left(half_done: UndoScene) -> None:
    (half_done.folder / "net.tfstate").write_bytes(state("net", ("own",)))
    contents = half_done.contents
    for ending in (Ending.FINISH, Ending.TAKE_BACK):
        with pytest.raises(StoreError, match=r"net\.tfstate: something else has written .* `statetool undo --leave"):
            half_done.end_undo(ending)
    assert half_done.contents == contents
    half_done.end_undo(Ending.LEAVE)
    assert half_done.leftovers == set()
    assert half_done.contents == contents


def test_markers_name_the_undo(half_done: UndoScene, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rm", "-y", "--state", str(half_done.folder / "net.tfstate"), "terraform_data.own"]) == 2
    app = half_done.folder / "app.tfstate"
    assert f"`statetool undo --abort --state {app}` takes it back" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("first", "count"), [(0, 40), pytest.param(40, 19_960, marks=pytest.mark.slow)], ids=["sample", "all"]
)
def test_each_object_is_in_one_state_after_any_edits(first: int, count: int) -> None:
    """Random edits, undos, crashes, deletions and new states at old places: see the model."""
    assert failures(range(first, first + count)) == []


@pytest.mark.parametrize(
    ("first", "count"), [(0, 12), pytest.param(12, 288, marks=pytest.mark.slow)], ids=["sample", "all"]
)
def test_each_object_is_in_one_state_after_kills(first: int, count: int) -> None:
    """The same, with processes that are killed between their writes."""
    assert failures(range(first, first + count), kills=True) == []


def test_the_model_notices_a_lost_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """An undo of one state only, where several were edited, is what it is made to find."""
    monkeypatch.setattr(Undo, "joint", ())
    assert any("in two states" in one for one in failures(range(40)))
