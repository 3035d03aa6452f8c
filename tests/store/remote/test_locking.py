"""How a state in a backend is locked, and what happens if requests get lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from statefmt.model.errors import LockedError, StoreError
from statefmt.store.protocol import LockInfo, WriteTerms, lock_json
from statefmt.store.remote.client import LockHeldError, UnknownOutcomeError
from tests.store.remote.conftest import NEW, OLD, Place, lock_of_another
from tests.store.remote.file_client import FileClient


def test_the_order_of_an_edit(place: Place) -> None:
    place.edit()
    assert [step for step in place.steps if step != "holder.before"] == [
        *("lock.before", "lock.after", "read.before", "read.after", "write.before", "write.after"),
        *("unlock.before", "unlock.after", "close"),
    ]
    assert place.steps.index("holder.before") < place.steps.index("read.before")
    assert (place.state, place.is_locked, place.notes) == (NEW, False, [])


def test_the_lock_has_the_path_of_the_backend(place: Place) -> None:
    with place.store.locked(place.info(), 0):
        assert b'"Path":"bucket/key"}' in (place.backend / "lock").read_bytes()


def test_held_by_another(place: Place) -> None:
    other = lock_of_another(place)
    with pytest.raises(LockedError) as refused:
        place.edit()
    lines = refused.value.on_command_line.splitlines()
    assert lines[0].startswith(f"{place.location}: locked by other@there; nothing was written. ")
    assert "--lock-timeout 60s" in lines[0]
    assert f"`statetool unlock {other.ID}`" in lines[0]
    assert "lock_timeout=60" in str(refused.value)
    assert lines[1:] == [
        f"  ID:        {other.ID}",
        f"  Path:      {place.location}",
        "  Operation: OperationTypeApply",
        "  Who:       other@there",
        f"  Version:   {other.Version}",
        "  Created:   2026-01-01T00:00:00Z",
        r"  Info:      apply\x1b[2J\x0aID: fake",
    ]
    assert (place.state, place.pauses, place.backups) == (OLD, [], [])
    assert (place.backend / "lock").read_bytes() == lock_json(other)


def test_the_holder_is_unknown(place: Place) -> None:
    place.mark("lock", "no JSON")
    with pytest.raises(LockedError, match=r"locked by somebody else; the service does not say by whom") as refused:
        place.edit()
    assert "`statetool unlock ID`" in str(refused.value)


def test_waits_as_opentofu_does(place: Place) -> None:
    """Source: OpenTofu `internal/states/statemgr/locker.go` (LockWithContext)."""
    lock_of_another(place)
    pauses = place.pauses

    def waiting(client: FileClient) -> FileClient:
        return _Frees(client.folder, client.location, pauses=pauses, after=7)

    place.client = waiting
    place.edit(timeout=3600)
    assert pauses == [1, 2, 4, 8, 16, 16, 16]
    assert place.state == NEW


class _Frees(FileClient):
    """The other's lock is gone after some pauses."""

    def __init__(self, *args: object, pauses: list[float], after: int) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        object.__setattr__(self, "pauses", pauses)
        object.__setattr__(self, "after", after)

    def lock(self, info: LockInfo) -> None:
        if len(self.pauses) == self.after:  # type: ignore[attr-defined]
            (self.folder / "lock").unlink()
        super().lock(info)


def test_only_a_held_lock_is_waited_for(place: Place) -> None:
    place.mark("lock.before.broken")
    with pytest.raises(StoreError, match="the service is down"):
        place.edit(timeout=3600)
    assert place.pauses == []


@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize("when", ["lock.after.lost", "lock.before.lost"])
def test_the_answer_to_the_lock_is_lost(place: Place, when: str, tells: bool) -> None:
    place.client = lambda client: replace(client, tells=tells)
    place.mark(when)
    place.edit()
    assert (place.state, place.is_locked, place.notes) == (NEW, False, [])


def test_answers_are_lost_again_and_again(place: Place) -> None:
    place.mark("lock.before.lost", "x x x x x")
    with pytest.raises(UnknownOutcomeError, match="the answers to 3 requests to lock the state were lost"):
        place.edit()
    assert (place.state, place.is_locked) == (OLD, False)


def test_somebody_else_was_faster_than_a_lost_request(place: Place) -> None:
    other = lock_of_another(place)
    place.mark("lock.before.lost")
    with pytest.raises(LockedError, match="other@there"):
        place.edit()
    assert (place.backend / "lock").read_bytes() == lock_json(other)


class _IgnoresConditions(FileClient):
    """Confirms a lock while there is another one."""

    def lock(self, info: LockInfo) -> None:
        """Do nothing."""


class _ForgetsLocks(FileClient):
    def lock(self, info: LockInfo) -> None:
        """Do nothing."""


def test_a_service_without_conditions(place: Place) -> None:
    other = lock_of_another(place)
    place.client = lambda client: _IgnoresConditions(client.folder, client.location)
    with pytest.raises(StoreError, match="does not honour conditional requests") as refused:
        place.edit()
    assert f"  ID:        {other.ID}" in str(refused.value)
    assert (place.state, place.backups) == (OLD, [])
    assert (place.backend / "lock").read_bytes() == lock_json(other)


def test_a_service_without_locks(place: Place) -> None:
    place.client = lambda client: _ForgetsLocks(client.folder, client.location)
    with pytest.raises(StoreError, match="confirmed the lock, but there is none"):
        place.edit()
    assert place.state == OLD


@pytest.mark.parametrize("when", ["unlock.before.lost", "unlock.after.lost"])
def test_the_answer_to_the_unlock_is_lost(place: Place, when: str) -> None:
    place.mark(when)
    place.edit()
    assert (place.state, place.is_locked, place.notes) == (NEW, False, [])


def test_the_unlock_fails_after_the_write(place: Place) -> None:
    place.mark("unlock.before.broken")
    place.edit()
    (note,) = place.notes
    lock_id = FileClient(place.backend, "").holder()
    assert lock_id is not None
    assert "the state was written, but it could not be unlocked" in note
    assert f"`statetool unlock {lock_id.ID}`" in note
    assert place.state == NEW


@pytest.mark.parametrize("tells", [True, False])
def test_what_shows_a_lock_that_may_be_left(place: Place, tells: bool) -> None:
    place.client = lambda client: replace(client, tells=tells)
    place.mark("unlock.before.broken")
    place.edit()
    assert ("`statetool locks` shows it" in place.notes[-1]) == tells


def test_the_unlock_fails_without_a_write(place: Place) -> None:
    place.mark("unlock.before.broken")
    with pytest.raises(StoreError, match="it could not be unlocked"), place.store.locked(place.info(), 0):
        pass


def test_the_unlock_fails_after_a_refusal(place: Place) -> None:
    """The reason of the refusal is the error; what is left is a note."""
    place.mark("unlock.before.broken")
    with pytest.raises(RuntimeError, match="no"), place.store.locked(place.info(), 0):
        raise RuntimeError("no")
    (note,) = place.notes
    assert "could not be unlocked" in note
    assert "was written" not in note


def test_somebody_took_the_lock_away(place: Place) -> None:
    store = place.store
    with store.locked(place.info(), 0) as locked:
        locked.write([NEW], locked.stored.version, WriteTerms(0))
        (place.backend / "lock").unlink()
        other = lock_of_another(place)
    (note,) = place.notes
    assert "the state was written, but somebody removed its lock during the edit" in note
    assert (place.backend / "lock").read_bytes() == lock_json(other)


@pytest.mark.parametrize("wanted", [True, False])
def test_nothing_locks(place: Place, wanted: bool) -> None:
    place.client = lambda client: replace(client, is_locking=False)
    place.edit(timeout=0 if wanted else None)
    (note,) = place.notes
    assert "nothing locks this state" in note
    assert "lock.before" not in place.steps
    assert place.state == NEW


def test_the_write_is_conditional_without_a_lock(place: Place) -> None:
    with pytest.raises(StoreError, match="changed"), place.store.locked(place.info(), None) as locked:
        (place.backend / "state").write_bytes(b"{}")
        locked.write([NEW], locked.stored.version, WriteTerms(0))
    assert (place.state, place.backups) == (b"{}", [])


@pytest.mark.parametrize("holder", ["nobody that it names", "somebody else"])
def test_a_lock_that_may_be_ours(place: Place, holder: str) -> None:
    """All answers were lost, and the service cannot be asked: a lock without an ID may be ours, and is reported."""
    other = None if holder == "nobody that it names" else replace(place.info(), ID="another")

    class Silent(FileClient):
        def lock(self, info: LockInfo) -> None:
            with (self.folder / "steps").open("a") as steps:
                steps.write("lock\n")
            if (self.folder / "steps").read_text().count("lock") <= 3:
                raise UnknownOutcomeError("the answer was lost")
            raise LockHeldError(other)

    place.client = lambda client: Silent(client.folder, client.location, tells=False)
    with pytest.raises(UnknownOutcomeError, match="nothing was written"):
        place.edit()
    assert place.state == OLD
    assert ["it may be locked" in note for note in place.notes] == ([True] if other is None else [])


def test_another_way_to_remove_a_lock(place: Place) -> None:
    """Where `unlock` would be refused."""
    place.client = lambda client: _EndsWithItsSession(client.folder, client.location)
    with pytest.raises(LockedError) as refused:
        place.edit()
    assert "Log out. The lock:" in str(refused.value)
    assert "unlock" not in str(refused.value)


class _EndsWithItsSession(FileClient):
    def lock(self, info: LockInfo) -> None:
        raise LockHeldError(None, "Log out")
