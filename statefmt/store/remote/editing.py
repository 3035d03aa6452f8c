"""Edits a state in a backend under its lock, from the lock request to the release of the lock."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from msgspec import UNSET, UnsetType

from statefmt.model.errors import StoreError, Wording
from statefmt.pieces import Piece, joined
from statefmt.store.backends.settings import SettingSource, StatePlace
from statefmt.store.backends.types import backend_type
from statefmt.store.local.history import history_of
from statefmt.store.local.locks import remove_hold, write_hold
from statefmt.store.local.recording import (
    Recording,
    back_up,
    discard,
    forget_creation,
    publish,
    record,
    record_creation,
    remove_backup,
)
from statefmt.store.local.state_file import StateFile
from statefmt.store.local.store import create_file
from statefmt.store.protocol import JointEdit, LockInfo, Stored, WriteTerms
from statefmt.store.reading import reason_of
from statefmt.store.remote.client import Connection, StateClient, UnknownOutcomeError
from statefmt.store.remote.held_lock import HeldLock
from statefmt.store.remote.interruption import Interruption, interruptible
from statefmt.store.remote.records import INITIAL, SETTING, RemoteRecords, is_kept
from statefmt.text import printable


@dataclass(slots=True)
class _Outcome:
    """Whether the state has been written under the lock, and whether its lock stays after the edit.

    `joint` is set for an edit of several states.
    """

    is_written: bool = False
    is_held: bool = False
    joint: JointEdit | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class RemoteEdit:
    """An edit of one state: its place, the connection, its records, the waiting, and the words that name it."""

    place: StatePlace
    connection: Connection
    records: RemoteRecords
    pause: Callable[[float], None]
    words: tuple[str, ...]
    lock_ends_with_session: bool

    @contextmanager
    def locked(
        self,
        client: StateClient,
        info: LockInfo,
        timeout: float | None,
        read: Callable[[], Stored],
        *,
        ends_hold: bool = False,
    ) -> Iterator[LockedRemote]:
        """Lock the state and `read` it; always unlock it at the end. See Store.locked."""
        kept = self.records if is_kept(self.connection.environment.get(SETTING, "")) else None
        outcome = _Outcome()
        info = replace(info, Path=client.lock_path)

        def settled() -> Stored:
            stored = read()
            if self.records.may_be_unsettled:
                self.records.settle(lambda: read().data)
            return stored

        def opened(*, is_locked: bool) -> LockedRemote:
            self.records.refuse_held(info, ends_hold=ends_hold)
            return LockedRemote(settled(), self, client, info, is_locked, kept, outcome, interruption, settled)

        with interruptible() as interruption:
            if timeout is None or not client.is_locking:
                self._say_unlocked(is_wanted=timeout is not None)
                yield opened(is_locked=False)
                return
            ends = self.lock_ends_with_session
            lock = HeldLock(client, info, self.connection.note, self.pause, self.words, ends_with_session=ends)
            try:
                lock.acquire(timeout)
                yield opened(is_locked=True)
                interruption.defer()
            except BaseException:
                interruption.defer()
                self._unlocked(lock, outcome, interruption, is_failed=True)
                raise
            self._unlocked(lock, outcome, interruption, is_failed=False)

    def _unlocked(self, lock: HeldLock, outcome: _Outcome, interruption: Interruption, *, is_failed: bool) -> None:
        """Release the lock; report a remaining lock, by a StoreError if nothing else failed or was written."""
        try:
            left = "" if outcome.is_held else lock.give_back()
            if left:
                written = "the state was written, but " if outcome.is_written else ""
                message = f"{printable(self.place.location)}: {written}{left}"
                if not (is_failed or outcome.is_written):
                    is_failed = True
                    raise StoreError(message)
                self.connection.note(message)
        finally:
            interruption.resume(is_failed=is_failed)

    def _say_unlocked(self, *, is_wanted: bool) -> None:
        """Report that the state has no lock. Raises StoreError if its URL should name one."""
        reason = ""
        if is_wanted:
            refuse_unlocked_url(self.place)
            reason = ": the backend is not set up to lock"
        self.connection.note(
            f"{printable(self.place.location)}: nothing locks this state{reason}; it is written only if nobody else "
            "has written it since it was read"
        )


def refuse_unlocked_url(place: StatePlace) -> None:
    """Raise StoreError if a URL names the state: the URL has no argument for locks, but its other writers may use one.

    The configuration of a folder determines the lock for all its users, even if there is none.
    """
    if all(setting.source is not SettingSource.URL for setting in place.settings):
        return
    backend = backend_type(place.type)
    arguments = (backend and backend.lock_arguments) or "locks"
    raise StoreError(
        f"{place.location}: the URL does not say how its other writers lock the state; add {arguments} to it, or name "
        "the folder of the root module; ",
        Wording("--no-lock", "lock=False"),
        " writes without a lock",
    )


# Seconds before each read after a lost answer: the write may still arrive.
_READINGS: Final = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class LockedRemote:
    """A state in a backend while it is locked, if it has a lock; see LockedStore and LockedManagedStore.

    `records` receives the records of edits, None for no records.
    """

    stored: Stored
    edit: RemoteEdit
    client: StateClient
    info: LockInfo
    is_locked: bool
    records: RemoteRecords | None
    outcome: _Outcome
    interruption: Interruption
    read: Callable[[], Stored]

    def undisturbed(self) -> AbstractContextManager[None]:
        return self.interruption.deferred()

    def write(self, pieces: Sequence[Piece], expected: Hashable, terms: WriteTerms) -> str | None:
        with self.undisturbed():
            kept = self._write(pieces, expected, terms)
            self.outcome.is_written = True
        return None if kept is None else str(kept)

    def renewed(self) -> LockedRemote:
        """Read the state, and resolve a write whose answer was lost."""
        return replace(self, stored=self.read())

    def hold(self, joint: JointEdit) -> LockedRemote:
        """Keep the lock after the edit, and write a marker to this machine: some locks end with the session."""
        if self.records is not None:
            with self.records.opened() as state:
                write_hold(state, self.info, joint)
        self.outcome.is_held, self.outcome.joint = True, joint
        return self

    def release(self) -> None:
        """Release the lock after the edit, and delete the marker."""
        if self.records is not None:
            with self.records.opened() as state:
                remove_hold(state)
        self.outcome.is_held = False

    def discard(self, expected: Hashable) -> None:
        if expected is None:
            return
        joint = self.outcome.joint
        with self.undisturbed():
            self._deleted(expected)
            if self.records is not None and joint:
                with self.records.opened() as state:
                    forget_creation(state, joint, INITIAL)
            self.outcome.is_written = True

    def delete(self, expected: Hashable, *, now: int) -> str | None:
        with self.undisturbed():
            kept = self._delete(expected, now)
            self.outcome.is_written = True
        return None if kept is None else str(kept)

    @property
    def _place(self) -> str:
        return printable(self.client.location)

    def _write(self, pieces: Sequence[Piece], expected: Hashable | None, terms: WriteTerms) -> Path | None:
        new = joined(self.stored.data, pieces)
        if expected is None:
            # A new state has no backup.
            self._created(new)
            return None
        if self.records is None:
            return self._written_without_record(new, expected, terms.backup)
        with self.records.opened() as state:
            earlier = history_of(state, initial=INITIAL)
            recording = record(state, self.info, self.stored.data, pieces, earlier, terms, self.outcome.joint)
            try:
                self._sent(new, expected)
            except UnknownOutcomeError as error:
                kept = self.records.keep_unconfirmed(state, recording, new)
                new_place = f"the new one in {kept}" if kept else "the new one could not be kept"
                raise UnknownOutcomeError(
                    f"{error}. The previous content is in {recording.backup}, {new_place}. The next command that edits "
                    "this state, or shows its history, finds out"
                ) from error
            except StoreError:
                with suppress(OSError, StoreError):
                    discard(state, recording)
                raise
            except BaseException:
                self.edit.connection.note(
                    f"{self._place}: interrupted again while the state was written; whether it was is not known. The "
                    f"previous content is in {recording.backup}. The next command that edits this state, or shows its "
                    "history, finds out"
                )
                raise
            return self._published(state, recording, keeps_backup=terms.keeps_backup)

    def _delete(self, expected: Hashable, now: int) -> Path | None:
        """Delete the state after a backup of its content; return the path of the backup."""
        if self.records is None:
            self._deleted(expected)
            return None
        with self.records.opened() as state:
            backup = back_up(state, self.stored.data, now)
            try:
                self._deleted(expected)
            except UnknownOutcomeError:
                raise
            except StoreError:
                with suppress(OSError, StoreError):
                    remove_backup(state, backup)
                raise
            return backup

    def _created(self, new: bytes) -> None:
        """Write a new state; only a joint edit records this in the history."""
        joint = self.outcome.joint
        if self.records is None or not joint:
            self._sent(new, None)
            return
        with self.records.opened() as state:
            record_creation(state, self.info, new, joint, INITIAL)
            try:
                self._sent(new, None)
            except UnknownOutcomeError:
                raise
            except StoreError:
                forget_creation(state, joint, INITIAL)
                raise

    def _deleted(self, expected: Hashable) -> None:
        try:
            self.client.delete(expected)
        except UnknownOutcomeError as error:
            found = self.client.read()
            if found is not None:
                still = "is still there" if found.data == self.stored.data else "has other content by now"
                raise StoreError(
                    f"{self._place}: the answer to the deletion was lost, and the state {still}"
                ) from error

    def _written_without_record(self, new: bytes, expected: Hashable, backup: Path | None) -> Path | None:
        if backup is not None:
            create_file(backup, self.stored.data)
        try:
            self._sent(new, expected)
        except UnknownOutcomeError as error:
            where = f"The previous content is in {backup}" if backup else "Nothing keeps the previous content"
            raise UnknownOutcomeError(f"{error}. {where}") from error
        except StoreError:
            if backup is not None:
                with suppress(OSError):
                    backup.unlink()
            raise
        return backup

    def _sent(self, new: bytes, expected: Hashable | None) -> None:
        """Write the new content, and read the state if the answer is lost.

        Raises StoreError if it was certainly not written, and UnknownOutcomeError if the outcome is unknown.
        """
        try:
            self.client.write(new, expected, self.info if self.is_locked else None)
            return
        except UnknownOutcomeError as error:
            lost = error
        old = b"" if expected is None else self.stored.data
        outcome = ""
        for wait in _READINGS:
            if wait:
                self.edit.pause(wait)
            try:
                found = self.client.read()
            except StoreError as error:
                outcome = f"and the state cannot be read ({error}): it may have the previous or the new content"
                continue
            content = b"" if found is None else found.data
            if content == new:
                return
            if content != old:
                outcome = (
                    "and the state has other content by now: somebody else has written it, perhaps after this write"
                )
                break
            outcome = (
                "and the state still has its previous content: nothing was written, unless the request arrives late"
            )
        raise UnknownOutcomeError(f"{self._place}: the write could not be confirmed ({lost}), {outcome}")

    def _published(self, state: StateFile, recording: Recording, *, keeps_backup: bool) -> Path | None:
        """Publish the record. Errors are only reported: the state is already written."""
        try:
            publish(state, recording)
            if not keeps_backup and recording.backup is not None:
                remove_backup(state, recording.backup)
                return None
        except (OSError, StoreError) as error:
            self.edit.connection.note(
                f"{self._place}: the state was written, but its history could not be updated ({reason_of(error)}); "
                "the next command tries again"
            )
        return recording.backup
