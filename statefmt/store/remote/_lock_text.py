"""Says how to remove a lock, whose ID somebody else may have written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from statefmt.store.remote._suggestion import suggested_command
from statefmt.text.pattern import pattern

# In characters.
_LONGEST: Final = 300
_SIMPLE: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9._:-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class LockRemoval:
    """How to remove a lock of a state. `words` name the state in a command; some locks just end with a session."""

    words: tuple[str, ...] = ()
    ends_with_session: bool = False

    def command(self, lock_id: str) -> str:
        """Return the command that removes a lock, to be copied."""
        word = lock_id if _SIMPLE.fullmatch(lock_id) and len(lock_id) <= _LONGEST else "ID"
        return suggested_command(("unlock", word), self.words)

    def left(self, lock_id: str, *, can_be_seen: bool) -> str:
        """Say that the lock of this command may be left, and what to do then; `statetool locks` may show it."""
        shown = f"{suggested_command(('locks',), self.words)} shows"
        if self.ends_with_session:
            return f"The lock of this command may be left until the server ends its session; {shown} whether it is"
        seen = f"{shown} it, and " if can_be_seen else ""
        return f"The lock {lock_id} of this command may be left; {seen}{self.command(lock_id)} removes it"
