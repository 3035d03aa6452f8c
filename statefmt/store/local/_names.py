"""Builds and recognizes the names of the files that statetool keeps beside a state.

statetool deletes only files whose names these functions recognize.
"""

from __future__ import annotations

import re
from typing import Final

from statefmt.text.pattern import pattern

HISTORY_FILE: Final = "history.json"
STAGED_HISTORY: Final = "history.json.new"
HISTORY_IGNORE: Final = ".gitignore"
CONTENTS: Final = "contents"
COMPRESSED: Final = ".gz"

_JOURNAL: Final = pattern(r"\.(.+)\.statetool\.journal", re.DOTALL)
_TEMPORARY: Final = pattern(r"\.statetool\.[0-9a-f]{16}\.tmp")
_CONTENT: Final = pattern(r"[0-9a-f]{64}(?:\.gz)?")
# `.backup`, optionally after the Unix time of an edit, and a number if that second had several.
_BACKUP_SUFFIX: Final = pattern(r"(?:\.[0-9]+(?:-[0-9]+)?)?\.backup")


def lock_info_name(name: str) -> str:
    """Return the name of the lock information file, which OpenTofu and Terraform use as well."""
    return f".{name.removeprefix('.')}.lock.info"


def history_name(name: str) -> str:
    """Return the name of the folder with the history of a state."""
    return f".{name}.statetool"


def journal_name(name: str) -> str:
    """Return the name of the journal of a state."""
    return f".{name}.statetool.journal"


def hold_name(name: str) -> str:
    """Return the name of the marker of a state that is held."""
    return f".{name}.statetool.hold"


def state_of_journal(name: str) -> str | None:
    """Return the name of the state to which a journal belongs; None if the file is not a journal."""
    found = _JOURNAL.fullmatch(name)
    return found[1] if found else None


def backup_name(name: str, now: int, attempt: int) -> str:
    """Return the name of a backup in the style of `tofu state`, with `now` in Unix seconds."""
    extra = f"-{attempt}" if attempt else ""
    return f"{name}.{now}{extra}.backup"


def backup_stamp(backup: str, name: str) -> str:
    """Return the part of a name from backup_name() that tells it from other backups of the same state."""
    return backup[len(name) + 1 : -len(".backup")]


def stamped_backup(name: str, stamp: str) -> str:
    """Return the name of a backup from its stamp, the reverse of backup_stamp(); "" unless it is one of our own."""
    backup = f"{name}.{stamp}.backup"
    return backup if is_own_backup(backup, name) else ""


def is_backup(name: str, state: str) -> bool:
    """Return whether a name is a backup of the state by statetool, OpenTofu or Terraform."""
    return name.startswith(state) and _BACKUP_SUFFIX.fullmatch(name[len(state) :]) is not None


def is_own_backup(name: str, state: str) -> bool:
    """Return whether a name is a backup with a time; OpenTofu's `terraform.tfstate.backup` has none."""
    return is_backup(name, state) and name != f"{state}.backup"


def is_temporary(name: str) -> bool:
    """Return whether a name is a temporary file of statetool."""
    return _TEMPORARY.fullmatch(name) is not None


def is_content(name: str) -> bool:
    """Return whether a name is a content of the history: its SHA-256, with `.gz` if it is compressed."""
    return _CONTENT.fullmatch(name) is not None
