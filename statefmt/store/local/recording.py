"""Records an edit before the state is written: a durable backup of the old content, and a staged history.

Once the write is known to have taken place, the record is published; once it is known not to have, it is discarded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final

from msgspec import UNSET, Struct, UnsetType, structs

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece, parts_of
from statefmt.store.local._folder import Folder, open_folder
from statefmt.store.local._names import STAGED_HISTORY, backup_name, backup_stamp, stamped_backup
from statefmt.store.local.history import History, history_of, publish_history, stage_history
from statefmt.store.local.history_contents import discard_staged, drop_contents, forget_history_of, keep_content
from statefmt.store.local.journal import checksum
from statefmt.store.local.state_file import StateFile
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import HistoryEntry, JointEdit
from statefmt.store.reading import reason_of

_MOST_BACKUPS: Final = 1000
# In bytes.
_SHORT: Final = 1 << 20


class Recording(Struct, frozen=True):
    """The record of an edit: its entry in the history, the history before and after it, and the backup.

    `backup` is None if the user named it and it is not known any more.
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
    *,
    wanted: Path | None,
    now: int,
    joint: JointEdit | UnsetType = UNSET,
    undoes: int | None = None,
) -> Recording:
    """Write the backup, to `wanted` if given, and stage the history, both durably; `now` is in Unix seconds.

    Raises StoreError, and removes both again.
    """
    state.folder.sweep()
    parent = nullcontext(state.named_in) if wanted is None else open_folder(wanted.parent, state.folder.owner)
    with failing(f"{state.path}: cannot create a backup {_where(wanted)}"), parent as folder:
        if folder.descriptor != state.folder.descriptor:
            folder.sweep()
        with _computed(old, pieces) as checksums:
            backup = _backup(folder, state.path.name if wanted is None else wanted, old, now)
        before, after = [one() for one in checksums]
        stamp = backup_stamp(backup, state.path.name) if wanted is None else ""
        command = info.Info or info.Operation
        goes_back = UNSET if undoes is None else undoes
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
    """Publish the edit of several states that is about to create this one. Raises StoreError.

    If the state is not created, the state does not have the content after this edit, which then counts as nothing. A
    history of an earlier state at this place goes on: what the state is now begins with this edit.
    """
    earlier = history_of(state, initial=initial)
    before, command = checksum(b""), info.Info or info.Operation
    entry = HistoryEntry(
        earlier.next_number, info.Created, info.Who, command, before, checksum(content), "", joint=joint
    )
    with failing(f"{state.path}: cannot write its history"):
        stage_history(state, earlier.with_entry(entry))
        publish_history(state)


def forget_creation(state: StateFile, joint: JointEdit, initial: History) -> None:
    """Delete the record of a creation that did not take place or was taken back, as far as possible."""
    with suppress(OSError, StoreError):
        history = history_of(state, initial=initial)
        left = tuple(entry for entry in history.entries if not entry.joint or entry.joint.id != joint.id)
        if len(left) == len(history.entries):
            return
        if left or history.old_backups:
            stage_history(state, structs.replace(history, entries=left, last=history.last_number))
            publish_history(state)
        else:
            forget_history_of(state)


def back_up(state: StateFile, content: bytes, now: int) -> Path:
    """Write a durable backup that belongs to no edit; `now` is in Unix seconds. Raises StoreError."""
    with failing(f"{state.path}: cannot create a backup beside it"):
        return state.named_in.path / _backup(state.named_in, state.path.name, content, now)


def publish(state: StateFile, recording: Recording) -> None:
    """Publish the record of a write that has taken place. Raises OSError, StoreError."""
    publish_history(state)
    drop_contents(state, recording.history)


def discard(state: StateFile, recording: Recording) -> None:
    """Delete the record of a write that has not taken place. Raises OSError, StoreError."""
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
    """Turn an OSError before a write into a StoreError that says what failed."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{what} ({reason_of(error)}); nothing was written") from error


@contextmanager
def _computed(old: bytes, pieces: Sequence[Piece]) -> Iterator[list[Callable[[], str]]]:
    """Yield functions that return the checksums of both contents; those of long ones are computed in the meantime."""
    if len(old) < _SHORT:
        yield [lambda: checksum(old), lambda: checksum(parts_of(old, pieces))]
        return
    # Imported late: most states are short, and starting threads takes longer than their checksums.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as others:
        # In parallel with the backup, which takes as long as both.
        yield [others.submit(checksum, old).result, others.submit(checksum, parts_of(old, pieces)).result]


def _backup(folder: Folder, wanted: Path | str, content: bytes, now: int) -> str:
    """Create a durable backup, with `wanted` as its path or as the state's name; never overwrite a file."""
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


def _where(wanted: Path | None) -> str:
    return "beside it" if wanted is None else f"as {wanted}"
