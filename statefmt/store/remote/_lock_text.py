"""Describes a lock in a message, in text that somebody else may have written."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Final

from statefmt.store.lock_info import LockInfo
from statefmt.store.remote._suggestion import suggested_command
from statefmt.text.pattern import pattern
from statefmt.text.printable import printable

# The order of OpenTofu's "Lock Info:". Source: OpenTofu `internal/states/statemgr/locker.go` (LockInfo.String).
_ORDER: Final = ("ID", "Path", "Operation", "Who", "Version", "Created", "Info")
_WIDTH: Final = max(map(len, _ORDER)) + 2
# In characters. Nothing limits what a holder says.
_LONGEST: Final = 300
_SIMPLE: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9._:-]*", re.ASCII)


def lock_lines(info: LockInfo) -> str:
    """Return the members of a lock, each on its line with its name."""
    assert {field.name for field in fields(info)} == set(_ORDER)
    return "\n".join(f"  {name + ':':<{_WIDTH}}{_shown(getattr(info, name))}".rstrip() for name in _ORDER)


@dataclass(frozen=True, slots=True)
class LockRemoval:
    """How to remove a lock of a state. `words` name the state in a command.

    Some locks just end with a session, and some backends cannot be asked for their lock.
    """

    words: tuple[str, ...] = ()
    ends_with_session: bool = False
    is_shown: bool = True

    def command(self, lock_id: str) -> str:
        """Return the command that removes a lock, to be copied."""
        word = lock_id if _SIMPLE.fullmatch(lock_id) and len(lock_id) <= _LONGEST else "ID"
        return suggested_command(("unlock", word), self.words)

    def left(self, lock_id: str) -> str:
        """Say that the lock of this command may be left, and what to do then."""
        shown = f"{suggested_command(('locks',), self.words)} shows"
        if self.ends_with_session:
            return f"The lock of this command may be left until the server ends its session; {shown} whether it is"
        shows = f"{shown} it, and " if self.is_shown else ""
        return f"The lock {lock_id} of this command may be left; {shows}{self.command(lock_id)} removes it"


def _shown(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
