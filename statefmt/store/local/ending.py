"""Words the command that ends a change of several states after a crash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.text.shell import shell_line

# The commands that change several states. The words may come with a folder, from anybody.
_COMMANDS: Final = frozenset({"apply", "join", "mv", "split", "undo"})
# In characters.
_LONGEST: Final = 8192


def ending_command(ending: Sequence[str], option: str) -> str:
    """Return the command in backquotes; `ending` are its words without the option, such as `("apply", "x.hcl")`."""
    if not ending or ending[0] not in _COMMANDS or sum(map(len, ending)) > _LONGEST:
        ending = ("apply", "FILE")
    return f"`{shell_line(('statetool', ending[0], option, *ending[1:]))}`"
