"""Records an edit before the state is written: a durable backup of the old content, and a staged history.

The record is published after a confirmed write, and discarded after a confirmed failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import UNSET, Struct, UnsetType, field, structs

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece, parts_of
from statefmt.store.local._folder import STAGED_HISTORY, Folder, backup_name, backup_stamp, open_folder, stamped_backup
from statefmt.store.local.history import (
    History,
    compress_one,
    discard_staged,
    drop_contents,
    forget_history_of,
    history_of,
    keep_content,
    keep_edits,
    kept_content,
    load_history,
    publish_history,
    save_history,
    stage_history,
)
from statefmt.store.local.journal import checksum
from statefmt.store.local.state_file import StateFile
from statefmt.store.protocol import HistoryEntry, JointEdit, LockInfo, WriteTerms
from statefmt.store.reading import reason_of

if TYPE_CHECKING:
    from statefmt.store.local.pruning import Pruning


_MOST_BACKUPS: Final = 1000
# In bytes.
_SHORT: Final = 1 << 20


class Recording(Struct, frozen=True):
    """The record of an edit: its entry in the history, the history before and after it, and the backup.

    `backup` is None if the user named it and its name is lost.
    """

    entry: HistoryEntry
    earlier: History
    history: History
    backup: Path | None


def record(
    state: StateFile,
    info: LockInfo,
    old: bytes,
    pieces: Sequence[Piece],
    earlier: History,
    terms: WriteTerms,
    joint: JointEdit | UnsetType,
) -> Recording:
    """Write the backup and stage the history, both durably. Raises StoreError after removing both."""
    wanted = terms.backup
    state.folder.sweep()
    parent = nullcontext(state.named_in) if wanted is None else open_folder(wanted.parent, state.folder.owner)
    where = "beside it" if wanted is None else f"as {wanted}"
    with failing(f"{state.path}: cannot create a backup {where}"), parent as folder:
        if folder.descriptor != state.folder.descriptor:
            folder.sweep()
        with _computed(old, pieces) as checksums:
            backup = _backup(folder, state.path.name if wanted is None else wanted, old, terms.now)
        before, after = [one() for one in checksums]
        stamp = backup_stamp(backup, state.path.name) if wanted is None else ""
        command = info.Info or info.Operation
        goes_back = UNSET if terms.undoes is None else terms.undoes
        entry = HistoryEntry(
            earlier.next_number, info.Created, info.Who, command, before, after, stamp, joint, undoes=goes_back
        )
        history = earlier.with_entry(entry)
        try:
            with failing(f"{state.path}: cannot write its history"):
                stage_history(state, history)
                keep_content(state, (folder, backup), old, before)
        except BaseException:
            folder.remove(backup)
            discard_staged(state, earlier)
            raise
    return Recording(entry, earlier, history, folder.path / backup)


def record_creation(state: StateFile, info: LockInfo, content: bytes, joint: JointEdit, initial: History) -> None:
    """Publish the joint edit that is about to create this state. Raises StoreError.

    If the creation fails, the state does not get the content of this edit, which then has no effect. The history of an
    earlier state at this place continues; the new state begins with this edit.
    """
    earlier = history_of(state, initial=initial)
    before, command = checksum(b""), info.Info or info.Operation
    entry = HistoryEntry(
        earlier.next_number, info.Created, info.Who, command, before, checksum(content), "", joint=joint
    )
    with failing(f"{state.path}: cannot write its history"):
        save_history(state, earlier.with_entry(entry))


def forget_creation(state: StateFile, joint: JointEdit, initial: History) -> None:
    """Delete the record of a failed or reverted creation, as far as possible."""
    with suppress(OSError, StoreError):
        history = history_of(state, initial=initial)
        left = tuple(entry for entry in history.entries if not entry.joint or entry.joint.id != joint.id)
        if len(left) == len(history.entries):
            return
        if left or history.old_backups:
            save_history(state, structs.replace(history, entries=left, last=history.last_number))
        else:
            forget_history_of(state)


def back_up(state: StateFile, content: bytes, now: int) -> Path:
    """Write a durable backup without an edit; `now` is in Unix seconds. Raises StoreError."""
    with failing(f"{state.path}: cannot create a backup beside it"):
        return state.named_in.path / _backup(state.named_in, state.path.name, content, now)


def publish(state: StateFile, recording: Recording) -> None:
    """Publish the record of a completed write. Raises OSError, StoreError."""
    publish_history(state)
    drop_contents(state, recording.history)


def discard(state: StateFile, recording: Recording) -> None:
    """Delete the record of a failed write. Raises OSError, StoreError."""
    if recording.backup is not None:
        remove_backup(state, recording.backup)
    discard_staged(state, recording.earlier)


def unpublished(state: StateFile, initial: History) -> Recording | None:
    """Return the record of a write of unknown outcome; None if there is none. Raises StoreError."""
    staged = history_of(state, STAGED_HISTORY)
    earlier = history_of(state, initial=initial)
    if not staged.entries or staged.last_number <= earlier.last_number:
        return None
    entry = staged.entries[-1]
    name = stamped_backup(state.name, entry.backup) if entry.backup else ""
    return Recording(entry, earlier, staged, state.folder.path / name if name else None)


def remove_backup(state: StateFile, backup: Path) -> None:
    """Delete a backup. Raises OSError, StoreError."""
    with open_folder(backup.parent, state.folder.owner) as folder:
        folder.remove(backup.name)


@contextmanager
def failing(what: str) -> Iterator[None]:
    """Turn an OSError before a write into a StoreError about `what`."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{what} ({reason_of(error)}); nothing was written") from error


@contextmanager
def _computed(old: bytes, pieces: Sequence[Piece]) -> Iterator[list[Callable[[], str]]]:
    """Yield functions that return the checksums of both contents; large ones are computed concurrently."""
    if len(old) < _SHORT:
        yield [lambda: checksum(old), lambda: checksum(parts_of(old, pieces))]
        return
    # Imported late: most states are small, and starting threads takes longer than their checksums.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as others:
        # In parallel with the backup, which takes as long as both.
        yield [others.submit(checksum, old).result, others.submit(checksum, parts_of(old, pieces)).result]


def _backup(folder: Folder, wanted: Path | str, content: bytes, now: int) -> str:
    """Create a durable backup at the path `wanted`, or named after the state `wanted`; never overwrite a file."""
    if isinstance(wanted, Path):
        try:
            folder.create(wanted.name, content)
        except FileExistsError:
            raise StoreError(f"{wanted}: the backup already exists; nothing was written") from None
        return wanted.name
    for attempt in range(_MOST_BACKUPS):
        name = backup_name(wanted, now, attempt)
        with suppress(FileExistsError):
            folder.create(name, content)
            return name
    raise StoreError(
        f"{folder.path / wanted}: {_MOST_BACKUPS} backups of this second already exist; nothing was written"
    )


class EditHistory(Struct, frozen=True):
    """The history of the state at `path`, which for a state in a backend is a name in a folder of statetool.

    `changing` locks the history and opens its folder; `initial` is the history before the first edit. With `is_apart`,
    the first edit creates the folder. All methods raise StoreError.
    """

    path: Path
    changing: Callable[[LockInfo], AbstractContextManager[StateFile]]
    initial: History = field(default_factory=History)
    is_apart: bool = False

    def load(self) -> History:
        return load_history(self.path, self.initial)

    def content(self, checksum: str) -> bytes:
        return kept_content(self.path, checksum)

    def compress(self) -> None:
        compress_one(self.path)

    def keep(self, number: int, info: LockInfo) -> None:
        """Set the number of edits to keep."""
        with self.changing(info) as state:
            keep_edits(state, number, initial=self.initial)

    def pruning(self, *, keep: int | None = None, since: datetime | None = None) -> Pruning:
        """Plan a pruning; see plan_pruning."""
        from statefmt.store.local.pruning import Pruning, plan_pruning

        if self.is_apart and not self.path.parent.exists():
            return Pruning(self.initial, self.initial)
        return plan_pruning(self.path, keep=keep, since=since)

    def prune(self, pruning: Pruning, keep: int | None, info: LockInfo) -> None:
        """Execute a pruning, and set the number of edits to keep unless `keep` is None."""
        from statefmt.store.local.pruning import prune

        with self.changing(info) as state:
            prune(state, pruning)
            if keep is not None:
                keep_edits(state, keep, initial=self.initial)
