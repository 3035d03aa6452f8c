"""Says how to remove a lock, whose ID somebody else may have written."""

from __future__ import annotations

import re
from typing import Final

from statefmt.text.pattern import pattern

# In characters.
_LONGEST: Final = 300
_SIMPLE: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9._:-]*", re.ASCII)


def unlock_command(lock_id: str) -> str:
    """Return the command that removes a lock, to be copied."""
    word = lock_id if _SIMPLE.fullmatch(lock_id) and len(lock_id) <= _LONGEST else "ID"
    return f"`statetool unlock {word}`"
