"""Writes a state in a backend after recording the edit, and finds out whether the write has taken place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece, joined
from statefmt.store.local.recording import (
    Recording,
    back_up,
    discard,
    forget_creation,
    publish,
    record_creation,
    remove_backup,
)
from statefmt.store.local.state_file import StateFile
from statefmt.store.local.store import create_file
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import JointEdit, Stored
from statefmt.store.reading import reason_of
from statefmt.store.remote.client import StateClient, UnknownOutcomeError
from statefmt.store.remote.records import INITIAL, RemoteRecords
from statefmt.text.printable import printable

# Seconds before each reading after a lost answer: the write may still arrive.
_READINGS: Final = (0, 1, 2)


class WriteTerms(NamedTuple):
    """How a write is recorded: see LockedStore.write; `joint` is set if other states are edited with this one."""

    backup: Path | None
    keeps_backup: bool
    now: int
    joint: JointEdit | UnsetType = UNSET
    undoes: int | None = None


class RemoteWrite(NamedTuple):
    """A write of a state: the client, the edit and whether it holds the lock, and where to record it, if anywhere."""

    client: StateClient
    info: LockInfo
    is_locked: bool
    records: RemoteRecords | None
    note: Callable[[str], None]
    pause: Callable[[float], None]

    @property
    def place(self) -> str:
        """The location of the state, for messages."""
        return printable(self.client.location)

    def write(
        self, stored: Stored, pieces: Sequence[Piece], expected: Hashable | None, terms: WriteTerms
    ) -> Path | None:
        """Replace the content; see LockedStore.write. A new state has no backup."""
        new = joined(stored.data, pieces)
        if expected is None:
            self._created(new, terms.joint)
            return None
        if self.records is None:
            return self._written_without_record(stored.data, new, expected, terms.backup)
        with self.records.opened() as state:
            recording = self.records.begin(
                state,
                self.info,
                stored.data,
                pieces,
                wanted=terms.backup,
                now=terms.now,
                joint=terms.joint,
                undoes=terms.undoes,
            )
            try:
                self._sent(stored.data, new, expected)
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
                self.note(
                    f"{self.place}: interrupted again while the state was written; whether it was is not known. The "
                    f"previous content is in {recording.backup}. The next command that edits this state, or shows its "
                    "history, finds out"
                )
                raise
            return self._published(state, recording, keeps_backup=terms.keeps_backup)

    def delete(self, stored: Stored, expected: Hashable, now: int) -> Path | None:
        """Delete the state after a backup of its content, whose path is returned. Raises StoreError."""
        if self.records is None:
            self._deleted(stored.data, expected)
            return None
        with self.records.opened() as state:
            backup = back_up(state, stored.data, now)
            try:
                self._deleted(stored.data, expected)
            except UnknownOutcomeError:
                raise
            except StoreError:
                with suppress(OSError, StoreError):
                    remove_backup(state, backup)
                raise
            return backup

    def discard(self, stored: Stored, expected: Hashable, joint: JointEdit | UnsetType) -> None:
        """Delete the state that a joint edit has created, without a backup. Raises StoreError."""
        self._deleted(stored.data, expected)
        if self.records is not None and joint:
            with self.records.opened() as state:
                forget_creation(state, joint, INITIAL)

    def _created(self, new: bytes, joint: JointEdit | UnsetType) -> None:
        """Write a new state; only a joint edit records this in the history. Raises StoreError."""
        if self.records is None or not joint:
            self._sent(b"", new, None)
            return
        with self.records.opened() as state:
            record_creation(state, self.info, new, joint, INITIAL)
            try:
                self._sent(b"", new, None)
            except UnknownOutcomeError:
                raise
            except StoreError:
                forget_creation(state, joint, INITIAL)
                raise

    def _deleted(self, old: bytes, expected: Hashable) -> None:
        try:
            self.client.delete(expected)
        except UnknownOutcomeError as error:
            found = self.client.read()
            if found is not None:
                still = "is still there" if found.data == old else "has other content by now"
                raise StoreError(f"{self.place}: the answer to the deletion was lost, and the state {still}") from error

    def _written_without_record(self, old: bytes, new: bytes, expected: Hashable, backup: Path | None) -> Path | None:
        if backup is not None:
            create_file(backup, old)
        try:
            self._sent(old, new, expected)
        except UnknownOutcomeError as error:
            where = f"The previous content is in {backup}" if backup else "Nothing keeps the previous content"
            raise UnknownOutcomeError(f"{error}. {where}") from error
        except StoreError:
            if backup is not None:
                with suppress(OSError):
                    backup.unlink()
            raise
        return backup

    def _sent(self, old: bytes, new: bytes, expected: Hashable | None) -> None:
        """Write the new content.

        Raises StoreError if it was not written for sure, and UnknownOutcomeError if nobody knows, or may know later.
        """
        try:
            self.client.write(new, expected, self.info if self.is_locked else None)
        except UnknownOutcomeError as error:
            self._find_out(error, old, new)

    def _find_out(self, lost: UnknownOutcomeError, old: bytes, new: bytes) -> None:
        """Return if the state has the new content. Raises UnknownOutcomeError with what it has instead."""
        what = f"the write could not be confirmed ({lost})"
        outcome = ""
        for wait in _READINGS:
            if wait:
                self.pause(wait)
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
        raise UnknownOutcomeError(f"{self.place}: {what}, {outcome}")

    def _published(self, state: StateFile, recording: Recording, *, keeps_backup: bool) -> Path | None:
        """Publish the record. Errors are only reported: the state is already written."""
        try:
            publish(state, recording)
            if not keeps_backup and recording.backup is not None:
                remove_backup(state, recording.backup)
                return None
        except (OSError, StoreError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else error
            self.note(
                f"{self.place}: the state was written, but its history could not be updated ({reason}); the next "
                "command tries again"
            )
        return recording.backup
