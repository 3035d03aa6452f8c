"""Marks a state that is changed together with other states, so that no other edit comes in between.

The marker is beside the file, or in the folder with the history of a state in a backend, and outlives the process.
Nothing in it decides what is written: it only refuses.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from statefmt.model.errors import LockedError, StoreError
from statefmt.store.local._names import hold_name
from statefmt.store.local.ending import ending_command
from statefmt.store.local.recording import failing
from statefmt.store.local.state_file import StateFile
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import JointEdit
from statefmt.store.reading import reason_of
from statefmt.text.printable import printable

_FORMAT: Final = "1.0"
# In bytes. Many states may be changed together, but their names fit.
_LARGEST: Final = 1 << 20
# In characters: a marker may come with a folder, from anybody.
_LONGEST: Final = 200
_MOST: Final = 5


class _Marker(Struct, frozen=True):
    format_version: str
    lock: LockInfo
    edit: JointEdit


class Hold(NamedTuple):
    """What a marker says: the lock of the edit, None if the marker is damaged, and the change of several states."""

    lock: LockInfo | None
    edit: JointEdit


def write_hold(state: StateFile, info: LockInfo, joint: JointEdit) -> None:
    """Write the marker durably. Raises StoreError."""
    marker = _Marker(_FORMAT, info, joint)
    with failing(f"{state.path}: cannot create its marker {hold_name(state.name)}"):
        state.folder.sweep()
        state.folder.replace(hold_name(state.name), msgspec.json.format(msgspec.json.encode(marker), indent=2) + b"\n")


def remove_hold(state: StateFile) -> None:
    """Delete the marker durably, if there is one. Raises StoreError."""
    try:
        if state.folder.remove(hold_name(state.name)):
            state.folder.sync()
    except OSError as error:
        marker = state.folder.path / hold_name(state.name)
        raise StoreError(f"{marker}: cannot delete this marker ({reason_of(error)})") from error


def may_be_held(path: Path) -> bool:
    """Return whether the marker of a state is there; `path` is that of the state."""
    return os.path.lexists(path.with_name(hold_name(path.name)))


def found_hold(state: StateFile) -> Hold | None:
    """Return what the marker of a state says, None if there is none. Raises OSError, StoreError."""
    try:
        data = state.folder.read(hold_name(state.name), _LARGEST, of_anybody=True)
    except FileNotFoundError:
        return None
    try:
        marker = msgspec.json.decode(data, type=_Marker)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Hold(None, JointEdit("", "", ()))
    return Hold(marker.lock, marker.edit)


def refuse_held(state: StateFile, info: LockInfo | None = None, name: str = "", *, ends_hold: bool = False) -> None:
    """Raise LockedError if there is a marker of another edit than that of `info`; `name` is that of the state.

    A damaged marker may be of any edit: only one that `ends_hold`, whose journal names the state, goes on. Raises
    OSError, StoreError.
    """
    found = found_hold(state)
    if found is None or (found.lock is None and ends_hold):
        return
    if found.lock is None or info is None or found.lock.ID != info.ID:
        raise LockedError(_message(state, found, name or str(state.path)))


def _message(state: StateFile, found: Hold, name: str) -> str:
    if found.lock is None:
        path = state.folder.path / hold_name(state.name)
        return (
            f"{name}: a change of several states is unfinished, and its marker {path} is damaged; nothing was "
            "written. The command that began the change ends it: with --resume, it finishes the change, and with "
            "--abort it takes the change back, as `statetool apply --abort FILE` does for an operations file"
        )
    ending = found.edit.ending
    others = [_short(name) for name in found.edit.states[:_MOST]]
    more = f" and {len(found.edit.states) - _MOST} more" if len(found.edit.states) > _MOST else ""
    return (
        f"{name}: {_short(found.lock.Who) or 'somebody'} began a change of {', '.join(others)}{more} at "
        f"{_short(found.lock.Created)}, and it is unfinished; nothing was written. "
        f"{ending_command(ending, '--resume')} finishes it, and {ending_command(ending, '--abort')} takes it back"
        f"{f', with the journal in {_short(found.edit.home)}' if found.edit.home else ''}"
    )


def _short(text: str) -> str:
    return printable(text)[:_LONGEST]
