"""Writes a command that a message suggests, with the options that it needs to be about the same state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.text.shell import shell_line

# The current folder needs no name.
_HERE: Final = ("--state", ".")
_WORKSPACE: Final = "--workspace"


def suggested_command(command: Sequence[str], words: Sequence[str], *, all_workspaces: bool = False) -> str:
    """Return a command to be copied, in backquotes. `words` name the state, as those of RemoteName."""
    named = list(words)
    if tuple(named[:2]) == _HERE:
        del named[:2]
    if all_workspaces and _WORKSPACE in named:
        place = named.index(_WORKSPACE)
        del named[place : place + 2]
    return f"`{shell_line(['statetool', *command, *named])}`"
