"""The history and the backups of a state in a backend: nothing is lost, and nothing is left over."""

from __future__ import annotations

import stat
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.protocol import LockInfo, WriteTerms
from statefmt.store.remote.client import UnknownOutcomeError
from statefmt.store.remote.records import SETTING, records_folder
from tests.store.remote.conftest import NEW, OLD, Place, editing_process, reached
from tests.store.remote.file_client import FileClient

NEWER = b'{"newer": 3}\n'


def _sum(content: bytes) -> str:
    return sha256(content).hexdigest()


def test_one_backup_and_one_entry_for_each_edit(place: Place) -> None:
    kept = [place.edit(NEW), place.edit(NEWER, command="rm c")]
    assert [Path(one or "").read_bytes() for one in kept] == [OLD, NEW]
    assert sorted(str(path) for path in place.backups) == sorted(map(str, kept))
    entries = place.store.versions()
    assert [(one.number, one.command, one.user, one.before, one.after) for one in entries] == [
        (1, "mv a b", "me@here", _sum(OLD), _sum(NEW)),
        (2, "rm c", "me@here", _sum(NEW), _sum(NEWER)),
    ]
    assert [place.store.content(one.before) for one in entries] == [OLD, NEW]


def test_the_record_is_durable_before_the_write(place: Place) -> None:
    """A process that is killed by now has lost nothing."""
    place.mark("write.before.wait")
    child = editing_process(place)
    with child as process:
        reached(place, "write.before", process)
        (backup,) = place.backups
        assert backup.read_bytes() == OLD
        process.kill()
    (place.backend / "write.before.wait").unlink()
    assert place.state == OLD
    (place.backend / "lock").unlink()
    # The next use finds out that the write did not take place.
    assert place.store.versions() == ()
    assert place.backups == []
    assert ["was not written" in note for note in place.notes] == [True]


def test_killed_after_the_write(place: Place) -> None:
    place.mark("write.after.wait")
    with editing_process(place) as process:
        reached(place, "write.after", process)
        process.kill()
    (place.backend / "write.after.wait").unlink()
    (place.backend / "lock").unlink()
    (entry,) = place.store.versions()
    assert (entry.before, entry.after) == (_sum(OLD), _sum(NEW))
    assert place.store.content(entry.before) == OLD
    assert [path.read_bytes() for path in place.backups] == [OLD]
    assert ["was written" in note for note in place.notes] == [True]


def test_without_a_backup(place: Place) -> None:
    assert place.edit(keeps_backup=False) is None
    assert place.backups == []
    assert place.store.content(_sum(OLD)) == OLD


def test_a_backup_with_a_name(place: Place, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    assert place.edit(backup=str(mine)) == str(mine)
    assert (mine.read_bytes(), stat.S_IMODE(mine.stat().st_mode), place.backups) == (OLD, 0o600, [])
    with pytest.raises(StoreError, match="already exists; nothing was written"):
        place.edit(NEWER, backup=str(mine))
    assert (place.state, mine.read_bytes(), len(place.store.versions())) == (NEW, OLD, 1)


def test_modes(place: Place) -> None:
    place.edit()
    found = [place.home / "statetool", *(place.home / "statetool").rglob("*")]
    modes = {stat.S_IMODE(path.lstat().st_mode) for path in found if path.is_dir()}
    assert modes == {0o700}
    assert {stat.S_IMODE(path.lstat().st_mode) for path in found if path.is_file()} == {0o600}


def test_the_folder_names_the_state(place: Place) -> None:
    place.edit()
    assert place.folder.name.startswith("s3-bucket-prod-network.tfstate-")
    assert (place.folder / "location").read_text().splitlines()[0] == place.location


@pytest.mark.parametrize(
    "location",
    [
        "s3://b/../../../etc/passwd",
        "s3://b/\x1b[2J\n\x00k",
        "s3://b/" + "long/" * 1000,
        "s3://b/\udcff é",
        "https://user:hunter2@example.com/s?token=hunter2",
        "..",
        "/",
        "",
    ],
)
def test_hostile_locations(place: Place, location: str) -> None:
    place.location = location
    place.edit()
    assert place.folder.parent == place.home / "statetool/states"
    assert set(place.folder.name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    assert len(place.folder.name) < 200
    assert not place.folder.name.startswith(".")
    assert len(place.store.versions()) == 1
    for path in place.home.rglob("*"):
        assert "hunter2" not in str(path)
        assert path.is_dir() or b"hunter2" not in path.read_bytes()


def test_names_are_unique() -> None:
    similar = ["s3://a/b", "s3://a-b", "s3://a/b/", "s3://A/b"]
    assert len({records_folder(one, one) for one in similar}) == len(similar)
    assert records_folder("s3://a/b", "s3://a/b\nhttp://one") != records_folder("s3://a/b", "s3://a/b\nhttp://other")


def test_the_folder_of_another_state(place: Place) -> None:
    place.edit()
    (place.folder / "location").write_text("s3://other\n")
    with pytest.raises(StoreError, match="history of another state; nothing was written"):
        place.edit(NEWER)
    assert (place.state, place.is_locked) == (NEW, False)


def test_a_state_home_that_cannot_be_written(place: Place) -> None:
    place.home.write_text("a file")
    with pytest.raises(StoreError, match=rf"nothing was written\. .*XDG_STATE_HOME, .*{SETTING}=off"):
        place.edit()
    assert (place.state, place.is_locked) == (OLD, False)
    assert "write.before" not in place.steps


def test_a_link_in_place_of_the_folder(place: Place, tmp_path: Path) -> None:
    place.home.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (place.home / "statetool").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="a symbolic link, which statetool did not create"):
        place.edit()
    assert (place.state, list((tmp_path / "elsewhere").iterdir())) == (OLD, [])


@pytest.mark.parametrize("value", ["off", "0", "no", "FALSE"])
def test_turned_off(place: Place, tmp_path: Path, value: str) -> None:
    place.environment[SETTING] = value
    assert place.edit() is None
    assert place.edit(NEWER, backup=str(tmp_path / "mine")) == str(tmp_path / "mine")
    assert (place.state, (tmp_path / "mine").read_bytes()) == (NEWER, NEW)
    assert not place.home.exists()


def test_a_setting_that_says_nothing(place: Place) -> None:
    place.environment[SETTING] = "maybe"
    with pytest.raises(StoreError, match="must be 'on' or 'off', not 'maybe'"):
        place.edit()
    assert (place.state, place.is_locked) == (OLD, False)


def test_ten_edits_and_their_backups_are_kept(place: Place) -> None:
    for number in range(14):
        place.edit(b"%d" % number)
    entries = place.store.versions()
    assert [one.number for one in entries] == list(range(5, 15))
    assert sorted(path.read_bytes() for path in place.backups) == sorted(b"%d" % number for number in range(3, 13))
    assert [place.store.content(one.before) for one in entries] == [b"%d" % number for number in range(3, 13)]


def test_keep_and_prune(place: Place) -> None:
    for number in range(5):
        place.edit(b"%d" % number)
    history = place.store.history
    history.keep(3, place.info("history"))
    place.edit(NEW)
    assert [one.number for one in place.store.versions()] == [4, 5, 6]
    pruning = history.pruning(keep=1)
    history.prune(pruning, 2, place.info("history"))
    assert [one.number for one in place.store.versions()] == [6]
    assert [path.read_bytes() for path in place.backups] == [b"4"]
    assert history.load().keep == 2
    assert "lock.before" not in place.steps[place.steps.index("close", len(place.steps) - 1) :]


def test_a_state_without_a_history(place: Place) -> None:
    history = place.store.history
    assert (history.load().entries, history.load().keep, history.pruning().deletes) == ((), 10, False)
    assert not place.home.exists()


def test_the_write_is_refused(place: Place) -> None:
    place.mark("write.before.broken")
    with pytest.raises(StoreError, match="the service is down"):
        place.edit()
    assert (place.state, place.backups, place.store.versions(), place.is_locked) == (OLD, [], (), False)


def test_the_answer_to_the_write_is_lost(place: Place) -> None:
    place.mark("write.after.lost")
    place.edit()
    assert (place.state, len(place.store.versions()), len(place.backups), place.notes) == (NEW, 1, 1, [])


def test_the_write_is_lost(place: Place) -> None:
    place.mark("write.before.lost")
    with pytest.raises(UnknownOutcomeError, match="still has its previous content: nothing was written"):
        place.edit()
    assert (place.state, place.is_locked, place.pauses) == (OLD, False, [1, 2])
    (backup,) = place.backups
    assert backup.read_bytes() == OLD
    place.edit(NEWER)
    assert [(one.before, one.after) for one in place.store.versions()] == [(_sum(OLD), _sum(NEWER))]
    (note,) = place.notes
    assert "edit 1 (mv a b), whose outcome was unknown, was not written" in note


@pytest.mark.parametrize("other", [b"{}", b"", NEWER, NEW[:-1], NEW + b" ", OLD[:-1]], ids=repr)
@pytest.mark.parametrize("arrived", [True, False])
@pytest.mark.parametrize("records", ["on", "off"])
def test_somebody_else_wrote_after_a_lost_answer(place: Place, other: bytes, arrived: bool, records: str) -> None:
    """Only the new content is ours, and only the old one is unchanged."""
    place.environment[SETTING] = records

    class Overtaken(FileClient):
        def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
            if arrived:
                super().write(content, expected, lock)
            (self.folder / "state").write_bytes(other)
            raise UnknownOutcomeError("the answer was lost")

    place.client = lambda client: Overtaken(client.folder, client.location)
    with pytest.raises(UnknownOutcomeError, match="other content by now: somebody else has written it"):
        place.edit()
    assert (place.state, place.is_locked, place.pauses) == (other, False, [])
    if records == "on":
        assert [path.read_bytes() for path in place.backups] == [OLD]
        assert [path.read_bytes() for path in place.folder.glob("*.unconfirmed")] == [NEW]
        assert place.store.versions() == ()


@pytest.mark.parametrize("other", [None, b"{}"])
def test_deleted_or_written_after_a_lost_answer_to_the_deletion(place: Place, other: bytes | None) -> None:
    class Overtaken(FileClient):
        def delete(self, expected: Hashable) -> None:
            if other is not None:
                (self.folder / "state").write_bytes(other)
            raise UnknownOutcomeError("the answer was lost")

    place.client = lambda client: Overtaken(client.folder, client.location)
    said = "is still there" if other is None else "has other content by now"
    lost = pytest.raises(StoreError, match=f"the answer to the deletion was lost, and the state {said}")
    with lost, place.store.locked(place.info(), 0) as locked:
        locked.delete(locked.stored.version, now=0)
    assert place.state == (OLD if other is None else other)
    assert [path.read_bytes() for path in place.backups] in ([OLD], [])


def test_the_write_arrives_late(place: Place) -> None:
    place.mark("write.before.lost")
    with pytest.raises(UnknownOutcomeError):
        place.edit()
    (place.backend / "state").write_bytes(NEW)
    (entry,) = place.store.versions()
    assert (entry.after, place.store.content(entry.before)) == (_sum(NEW), OLD)


@contextmanager
def _unreadable(place: Place) -> Iterator[str]:
    """Lose the answer to the write, and let all later readings fail; the message has where the contents are."""
    with pytest.raises(UnknownOutcomeError) as unknown, place.store.locked(place.info(), 0) as locked:
        place.mark("write.after.lost")
        place.mark("read.before.broken")
        locked.write([NEW], locked.stored.version, WriteTerms(0))
    (place.backend / "read.before.broken").unlink()
    yield str(unknown.value)


def test_nobody_knows(place: Place) -> None:
    with _unreadable(place) as message:
        assert "it may have the previous or the new content" in message
        (backup,) = place.backups
        (unconfirmed,) = place.folder.glob("*.unconfirmed")
        assert str(backup) in message
        assert str(unconfirmed) in message
        assert (backup.read_bytes(), unconfirmed.read_bytes()) == (OLD, NEW)
        assert stat.S_IMODE(unconfirmed.stat().st_mode) == 0o600
    assert not place.is_locked
    place.edit(NEWER)
    assert [one.after for one in place.store.versions()] == [_sum(NEW), _sum(NEWER)]
    assert list(place.folder.glob("*.unconfirmed")) == []


def test_somebody_writes_before_that_is_known(place: Place) -> None:
    with _unreadable(place):
        (place.backend / "state").write_bytes(b"{}")
    place.edit(NEWER)
    (note,) = place.notes
    (kept,) = [path for path in place.backups if path.read_bytes() == OLD]
    (unconfirmed,) = place.folder.glob("*.unconfirmed")
    assert "has an unknown outcome, and the state has been changed since" in note
    assert str(kept) in note
    assert str(unconfirmed) in note
    assert unconfirmed.read_bytes() == NEW
    assert [(one.before, one.after) for one in place.store.versions()] == [(_sum(b"{}"), _sum(NEWER))]


def test_deleted_with_a_backup(place: Place) -> None:
    with place.store.locked(place.info(), 0) as locked:
        kept = locked.delete(locked.stored.version, now=0)
    assert kept is not None
    assert (Path(kept).read_bytes(), (place.backend / "state").exists()) == (OLD, False)


def test_the_answer_to_the_deletion_is_lost(place: Place) -> None:
    place.mark("delete.after.lost")
    with place.store.locked(place.info(), 0) as locked:
        locked.delete(locked.stored.version, now=0)
    assert not (place.backend / "state").exists()


def test_a_new_state(place: Place) -> None:
    (place.backend / "state").unlink()
    with pytest.raises(StoreError, match="there is no state"):
        place.edit()
    with place.store.locked_place(place.info(), 0) as locked:
        assert locked.write([NEW], locked.stored.version, WriteTerms(0)) is None
    assert (place.state, place.is_locked) == (NEW, False)


def test_two_processes_without_a_lock(place: Place) -> None:
    """The second waits until the first has recorded its edit, and is then refused by the condition."""
    place.mark("write.after.wait")
    with editing_process(place, "None") as first:
        reached(place, "write.after", first)
        (place.backend / "state").write_bytes(OLD)
        with editing_process(place, "None", "b'{}'") as second:
            # It has the version before the end of the first edit.
            reached(place, "read.after", second, times=2)
            (place.backend / "state").write_bytes(NEW)
            (place.backend / "write.after.wait").unlink()
            assert first.wait() == 0
            assert second.wait() == 1
    assert place.state == NEW
    assert [one.after for one in place.store.versions()] == [_sum(NEW)]
    assert len(place.backups) == 1
