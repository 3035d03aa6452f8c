"""Marks a state file that is changed together with other states, so that no other edit comes in between.

The marker is beside the file, and outlives the process. Nothing in it decides what is written: it only refuses.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from statefmt.model.errors import LockedError
from statefmt.store.local._names import hold_name
from statefmt.store.local.ending import ending_command
from statefmt.store.local.state_file import StateFile
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import JointEdit
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


def write_hold(state: StateFile, info: LockInfo, joint: JointEdit) -> None:
    """Write the marker durably. Raises OSError, StoreError."""
    marker = _Marker(_FORMAT, info, joint)
    state.folder.sweep()
    state.folder.replace(hold_name(state.name), msgspec.json.format(msgspec.json.encode(marker), indent=2) + b"\n")


def remove_hold(state: StateFile) -> None:
    """Delete the marker durably, if there is one. Raises OSError, StoreError."""
    if state.folder.remove(hold_name(state.name)):
        state.folder.sync()


def refuse_held(state: StateFile, info: LockInfo) -> None:
    """Raise LockedError if there is a marker of another edit than that of `info`. Raises OSError, StoreError."""
    where = hold_name(state.name)
    try:
        data = state.folder.read(where, _LARGEST, of_anybody=True)
    except FileNotFoundError:
        return
    try:
        marker = msgspec.json.decode(data, type=_Marker)
    except (msgspec.DecodeError, RecursionError):
        marker = None
    if marker is None or marker.lock.ID != info.ID:
        raise LockedError(_message(state, marker))


def _message(state: StateFile, marker: _Marker | None) -> str:
    if marker is None:
        path = state.folder.path / hold_name(state.name)
        return (
            f"{state.path}: a change of several states is unfinished, and its marker {path} is damaged; nothing was "
            "written. `statetool apply --resume FILE` finishes the change, and `statetool apply --abort FILE` takes it "
            "back; FILE is its operations file"
        )
    ending = marker.edit.ending
    others = [_short(name) for name in marker.edit.states[:_MOST]]
    more = f" and {len(marker.edit.states) - _MOST} more" if len(marker.edit.states) > _MOST else ""
    return (
        f"{state.path}: {_short(marker.lock.Who) or 'somebody'} began a change of {', '.join(others)}{more} at "
        f"{_short(marker.lock.Created)}, and it is unfinished; nothing was written. "
        f"{ending_command(ending, '--resume')} finishes it, and {ending_command(ending, '--abort')} takes it back"
    )


def _short(text: str) -> str:
    return printable(text)[:_LONGEST]
