"""Pruning a history while others write, and when it is killed in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.cli.run import system_context
from statefmt.model.errors import StoreError
from statefmt.store.local import pruning
from statefmt.store.local.history import load_history
from statefmt.store.local.pruning import plan_pruning, prune
from statefmt.store.local.transaction import open_state
from statefmt.store.protocol import WriteTerms

CONTEXT = system_context()
NOW = 1_700_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A state after three edits."""
    path = tmp_path / "state"
    path.write_bytes(b"0")
    for number in range(1, 4):
        _edit(path, b"%d" % number, NOW + number)
    return path


def _edit(path: Path, content: bytes, now: int) -> None:
    with open_state(path, CONTEXT.lock_info(path, "test"), CONTEXT.note) as state:
        state.commit(content, WriteTerms(now))


def _prune(path: Path, planned: pruning.Pruning) -> None:
    with open_state(path, CONTEXT.lock_info(path, "history"), CONTEXT.note) as state:
        prune(state.file, planned)


def _backups(path: Path) -> list[str]:
    return sorted(backup.name for backup in path.parent.glob("*.backup"))


def test_an_edit_meanwhile(path: Path) -> None:
    planned = plan_pruning(path, keep=1)
    _edit(path, b"4", NOW + 4)
    before = load_history(path)
    with pytest.raises(StoreError, match="the history has changed meanwhile; nothing was deleted"):
        _prune(path, planned)
    assert load_history(path) == before
    assert len(_backups(path)) == 4


def test_a_backup_that_was_replaced_meanwhile(path: Path) -> None:
    planned = plan_pruning(path, keep=1)
    first = planned.backups[0].path
    first.unlink()
    first.write_bytes(b"mine")
    _prune(path, planned)
    assert first.read_bytes() == b"mine"
    assert _backups(path) == [first.name, f"state.{NOW + 3}.backup"]


def test_cut_off(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the edits are out of the history, the next pruning still knows their backups."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    planned = plan_pruning(path, keep=1)
    with monkeypatch.context() as patch:
        patch.setattr(pruning, "drop_contents", killed)
        planned.backups[1].path.rename(path.with_name("away"))
        with pytest.raises(KeyboardInterrupt):
            _prune(path, planned)
    path.with_name("away").rename(planned.backups[1].path)
    assert [entry.number for entry in load_history(path).entries] == [3]
    _prune(path, plan_pruning(path, keep=1))
    assert _backups(path) == [f"state.{NOW + 3}.backup"]
    assert len(list((path.parent / ".state.statetool" / "contents").iterdir())) == 1
    assert load_history(path).old_backups == ()


def test_a_backup_of_a_kept_edit_stays_whatever_an_older_edit_is_called(path: Path, tmp_path: Path) -> None:
    """Two edits of one second have the same stamp if they name the state differently."""
    (tmp_path / "deep").mkdir()
    link = tmp_path / "deep/link"
    link.symlink_to(path)
    _edit(link, b"4", NOW + 9)
    path.write_bytes(b"3")
    _edit(path, b"5", NOW + 9)
    planned = plan_pruning(link, keep=1)
    assert [entry.number for entry in planned.edits] == [1, 2, 3, 4]
    _prune(link, planned)
    assert path.with_name(f"state.{NOW + 9}.backup").read_bytes() == b"3"
