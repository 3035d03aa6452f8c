"""The names of everything that statetool keeps beside a state, and the forms by which it knows them again.

Nothing is deleted whose name has none of these forms.
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
# `.backup`, also with the Unix time of an edit, and a number where that second had several.
_BACKUP_SUFFIX: Final = pattern(r"(?:\.[0-9]+(?:-[0-9]+)?)?\.backup")


def lock_info_name(name: str) -> str:
    """The file that says who holds the lock of a state; OpenTofu and Terraform write it as well."""
    return f".{name.removeprefix('.')}.lock.info"


def history_name(name: str) -> str:
    """The folder with the history of a state."""
    return f".{name}.statetool"


def journal_name(name: str) -> str:
    """The journal of a write to a state."""
    return f".{name}.statetool.journal"


def state_of_journal(name: str) -> str | None:
    """The name of the state that a file is the journal of; None where it is no journal."""
    found = _JOURNAL.fullmatch(name)
    return found[1] if found else None


def backup_name(name: str, now: int, attempt: int) -> str:
    """A backup, named as `tofu state` names its own: with the time in Unix seconds."""
    extra = f"-{attempt}" if attempt else ""
    return f"{name}.{now}{extra}.backup"


def is_backup(name: str, state: str) -> bool:
    """Whether a name is that of a backup of a state, made by statetool, OpenTofu or Terraform."""
    return name.startswith(state) and _BACKUP_SUFFIX.fullmatch(name[len(state) :]) is not None


def is_own_backup(name: str, state: str) -> bool:
    """Whether a name is that of a backup made by statetool: with a time, which others leave away."""
    return is_backup(name, state) and name != f"{state}.backup"


def is_temporary(name: str) -> bool:
    """Whether a name is that of a file that was still being written."""
    return _TEMPORARY.fullmatch(name) is not None


def is_content(name: str) -> bool:
    """Whether a name is that of a kept content: its SHA-256, with `.gz` if it is compressed."""
    return _CONTENT.fullmatch(name) is not None
