"""Names the folders for private copies of states, and checks which are in memory."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

_SHARED_MEMORY: Final = "/dev/shm"
_MOUNTS: Final = "/proc/self/mountinfo"
# The file systems of Linux without a disk.
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
# The number of fields in a line of mountinfo before the optional ones, and the index of the mount point.
_MOUNT_POINT: Final = 4


class CopyPlace(NamedTuple):
    """A folder for private copies. If `is_memory`, it may only be used if its file system is in memory."""

    folder: str
    is_memory: bool


def copy_places(environment: Mapping[str, str]) -> list[CopyPlace]:
    """Return the folders for copies, best first; they need not exist."""
    named = f"statetool-edit-{os.geteuid()}" if hasattr(os, "geteuid") else "statetool-edit"
    memory = [base for base in (environment.get("XDG_RUNTIME_DIR", ""), _SHARED_MEMORY) if base.startswith("/")]
    home = environment.get("HOME", "")
    disk = environment.get("XDG_STATE_HOME") or (f"{home}/.local/state" if home else "")
    places = [CopyPlace(f"{base.rstrip('/')}/{named}", is_memory=True) for base in memory]
    return [*places, *([CopyPlace(f"{disk}/statetool/edit", is_memory=False)] if disk.startswith("/") else [])]


def is_in_memory(folder: Path) -> bool:
    """Return whether a folder is on a file system in memory; False if unknown."""
    try:
        real = folder.resolve(strict=True)
        lines = Path(_MOUNTS).read_text("utf-8", "surrogateescape").splitlines()
    except (OSError, RuntimeError):
        return False
    found, kind = Path(), ""
    for line in lines:
        words, dash, rest = line.partition(" - ")
        fields = words.split(" ")
        if not dash or len(fields) <= _MOUNT_POINT:
            continue
        point = Path(_unescaped(fields[_MOUNT_POINT]))
        # Of several mounts on one folder, the last one counts.
        if real.is_relative_to(point) and len(point.parts) >= len(found.parts):
            found, kind = point, rest.split(" ")[0]
    return kind in _IN_MEMORY


def problem_of(base: Path) -> str:
    """Return how another user could replace files in a folder; "" if no other user owns or can change it."""
    status = base.stat()
    if hasattr(os, "geteuid") and status.st_uid not in (0, os.geteuid()):
        return "it belongs to another user"
    others_write, is_sticky = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH), status.st_mode & stat.S_ISVTX
    return "others may write to it" if others_write and not is_sticky else ""


def _unescaped(point: str) -> str:
    for escape, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(escape, char)
    return point
