"""Two `State` objects of one file, in one process and in two: no edit overwrites another that it has not seen."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

import statefmt
from tests.cli.states import SAMPLES

_REGIONS: Final = (SAMPLES / "v4-regions.tfstate").read_bytes()
_VPC: Final = 'aws_vpc.main["eu-west-1"]'
_WEB: Final = 'aws_instance.web["eu-west-1"]'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(_REGIONS)
    return path


@pytest.fixture
def states(path: Path) -> tuple[statefmt.State, statefmt.State]:
    return statefmt.open(path), statefmt.open(path)


def _tainted(path: Path) -> list[str]:
    return [str(instance.address) for instance in statefmt.open(path).select() if instance.status == "tainted"]


def _serial(path: Path) -> int:
    return int(json.loads(path.read_bytes())["serial"])


def test_the_second_sees_what_the_first_wrote(states: tuple[statefmt.State, statefmt.State], path: Path) -> None:
    first, second = states
    with first.edit() as edit:
        edit.taint(_VPC)
    # What was read stays until the next edit, or until it is read again.
    assert (first.serial, second.serial) == (59, 58)
    with second.edit() as edit:
        assert [str(one) for one in edit.select(tainted=True)] == [_VPC]
        edit.taint(_WEB)
    assert (edit.serial, second.serial, first.serial) == (60, 60, 59)
    assert sorted(_tainted(path)) == sorted([_VPC, _WEB])
    first.reload()
    assert first.serial == 60


@pytest.mark.parametrize("way", ["edit", "undo", "upgrade"])
def test_a_second_edit_at_the_same_time_is_refused(
    way: str, states: tuple[statefmt.State, statefmt.State], path: Path
) -> None:
    first, second = states
    with first.edit() as edit:
        edit.remove("aws_iam_role.app")
    before = path.read_bytes()
    with first.edit("the first") as edit:
        edit.taint(_VPC)
        with pytest.raises(statefmt.LockedError, match=r"locked by .* \(edit, since .*lock_timeout=60"):
            _change(second, way)
        assert path.read_bytes() == before
        # Neither the refusal nor reading drops the lock of the first.
        statefmt.open(path)
        second.reload()
        assert "LockedError" in _in_another_process(path, "1", lock_timeout=0)
    assert _tainted(path) == [_VPC]
    _change(second, way)
    assert _serial(path) == (60 if way == "upgrade" else 61)


@pytest.mark.parametrize("way", ["edit", "undo", "upgrade"])
def test_a_write_without_a_lock_is_not_overwritten(
    way: str, states: tuple[statefmt.State, statefmt.State], path: Path
) -> None:
    first, second = states
    with first.edit() as edit:
        edit.remove("aws_iam_role.app")
    before = path.read_bytes()
    with pytest.raises(statefmt.StoreError, match="changed during the edit"), first.edit() as edit:
        edit.taint(_VPC)
        _change(second, way, lock=False)
        written = path.read_bytes()
        assert written != before
    assert path.read_bytes() == written
    # The state that was refused goes on with the new content.
    with first.edit() as edit:
        edit.taint(_VPC)
    assert _VPC in _tainted(path)
    assert (_WEB in _tainted(path)) is (way == "edit")


def _change(state: statefmt.State, way: str, *, lock: bool = True) -> None:
    if way == "edit":
        with state.edit(lock=lock) as edit:
            edit.taint(_WEB)
    elif way == "undo":
        state.undo(lock=lock)
    else:
        state.upgrade(layout="compact", lock=lock)


def test_undo_through_one_and_edit_through_the_other(states: tuple[statefmt.State, statefmt.State], path: Path) -> None:
    first, second = states
    with first.edit("first") as edit:
        edit.taint(_VPC)
    second.undo()
    assert (_tainted(path), _serial(path)) == ([], 60)
    with first.edit("second") as edit:
        assert edit.select(tainted=False)
        edit.taint(_WEB)
    assert (_tainted(path), edit.serial) == ([_WEB], 61)
    # The last edit is that of the other.
    second.undo()
    assert (_tainted(path), _serial(path)) == ([], 62)
    second.undo(to=1)
    assert json.loads(path.read_bytes())["resources"] == json.loads(_REGIONS)["resources"]
    assert [entry.number for entry in first.history()] == [1, 2, 3, 4, 5]
    assert first.history() == second.history()


def test_undo_refuses_what_was_written_since(states: tuple[statefmt.State, statefmt.State], path: Path) -> None:
    """Between the look at the history and the lock."""
    first, second = states
    with first.edit() as edit:
        edit.taint(_VPC)
    store = second._handle.store

    class Slow:
        """The store, with an edit by the other just after the history was read."""

        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

        def versions(self) -> Sequence[statefmt.HistoryEntry]:
            found = store.versions()
            with first.edit() as edit:
                edit.taint(_WEB)
            return found

    second._handle.store = Slow()  # type: ignore[assignment] # a store all the same
    with pytest.raises(statefmt.StoreError, match="something else has changed the state since edit 1"):
        second.undo()
    assert sorted(_tainted(path)) == sorted([_VPC, _WEB])


def test_threads(path: Path) -> None:
    """Each edit is made on what was written last, or is refused; then it is made again."""
    count = 12
    refused: list[str] = []
    began = threading.Barrier(2)

    def work() -> None:
        mine = statefmt.open(path)
        began.wait()
        for _ in range(count):
            while True:
                try:
                    with mine.edit(keep_backup=False, lock_timeout=30) as edit:
                        edit.set("aws_iam_role.app", {"name": f"n{edit.snapshot.serial}"})
                    break
                except statefmt.LockedError as error:
                    refused.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    # No edit was lost: each raised the serial by one.
    assert _serial(path) == 58 + 2 * count, refused


_OTHER: Final = """
import json, statefmt, sys
state = statefmt.open(sys.argv[1])
for _ in range(int(sys.argv[2])):
    with state.edit(keep_backup=False, **json.loads(sys.argv[3])) as edit:
        edit.set("aws_iam_role.app", {"name": f"n{edit.snapshot.serial}"})
"""


def _in_another_process(path: Path, count: str, **terms: object) -> str:
    """Edit a state several times in another process; return what that prints to standard error."""
    command = [sys.executable, "-c", _OTHER, str(path), count, json.dumps(terms)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_processes(path: Path) -> None:
    count = 8
    mine = statefmt.open(path)
    with ThreadPoolExecutor() as others:
        other = others.submit(_in_another_process, path, str(count), lock_timeout=60)
        for _ in range(count):
            with mine.edit(lock_timeout=60, keep_backup=False) as edit:
                edit.set("aws_iam_role.app", {"name": f"n{edit.snapshot.serial}"})
        assert other.result() == ""
    assert _serial(path) == 58 + 2 * count


def test_a_process_without_a_lock_is_noticed(path: Path) -> None:
    state = statefmt.open(path)
    with pytest.raises(statefmt.StoreError, match="changed during the edit"), state.edit() as edit:
        edit.taint(_VPC)
        assert _in_another_process(path, "1", lock=False) == ""
    assert (_serial(path), _tainted(path)) == (59, [])
