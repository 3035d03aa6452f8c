"""Checks a folder for private copies: whether it is in memory, and whether others may change it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

_MOUNTS: Final = "/proc/self/mountinfo"
# The file systems of Linux that have no disk behind them.
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
# The fields of a line of mountinfo before the first optional one, and the place of the mount point in it.
_MOUNT_POINT: Final = 4


def is_in_memory(folder: Path) -> bool:
    """Return whether a folder is on a file system in memory; False if the system does not say so."""
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
    """Return why others could exchange what is in a folder, "" if they cannot: they must neither own nor change it."""
    status = base.stat()
    if hasattr(os, "geteuid") and status.st_uid not in (0, os.geteuid()):
        return "it belongs to another user"
    others_write, is_sticky = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH), status.st_mode & stat.S_ISVTX
    return "others may write to it" if others_write and not is_sticky else ""


def _unescaped(point: str) -> str:
    for escape, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(escape, char)
    return point
