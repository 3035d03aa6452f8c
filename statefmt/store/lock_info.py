"""Describes the holder of a state lock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from statefmt.version import __version__


@dataclass(frozen=True, slots=True)
class LockInfo:
    """The holder of a lock and its purpose. Names and order are those of the file that OpenTofu and Terraform write."""

    ID: str
    Operation: str
    Info: str
    Who: str
    Version: str
    Created: str
    Path: str


def lock_info(path: Path | str, operation: str, command: str, *, who: str, created: datetime) -> LockInfo:
    """Return lock information for an operation such as `fmt`; `command` is the whole command line.

    Bytes that are not UTF-8 are escaped: lock information and histories are JSON.
    """
    time_taken = created.isoformat().replace("+00:00", "Z")
    words = (str(uuid4()), operation, command, who, f"statetool {__version__}", time_taken, str(path))
    return LockInfo(*map(_in_utf8, words))


def _in_utf8(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()
