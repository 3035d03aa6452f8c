"""`statetool git-driver`: what git runs to compare states, once `statetool git-config` has told it to."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated, Final

import typer

from statefmt import codes
from statefmt.cli.exit_status import FINE
from statefmt.cli.streams import discard_output, result_terminal
from statefmt.errors import StateError, StatetoolError
from statefmt.render.printable import one_line, printable
from statefmt.session import load
from statefmt.states import Snapshot

# What git calls the file of a side that does not exist.
_NO_FILE: Final = "/dev/null"

_AS_IT_IS: Final = "git diff --no-ext-diff --no-textconv shows it as it is, with whatever secrets are in it"


class Role(StrEnum):
    """What git wants."""

    DIFF = "diff"
    TEXTCONV = "textconv"


def command(
    role: Annotated[Role, typer.Argument(metavar="ROLE", help="diff, for `git diff`, or textconv, for `git log -p`.")],
    arguments: Annotated[
        list[str],
        typer.Argument(metavar="ARGUMENT...", help="What git gives: a file, or a path and both versions of it."),
    ],
) -> int:
    """Compare two versions of a state for git, or write one as text; `statetool git-config` sets this up.

    Sensitive values are never shown. What is no state is named as such, and never printed as it is: it may be half of
    one, with secrets in it. So that git goes on to the next file, the exit status is 0 then, too.
    """
    try:
        if role is Role.TEXTCONV:
            _textconv(arguments[0])
        else:
            _diff(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has enough. Git notices that, too, and would say that its driver died.
        discard_output()
    return FINE


def _textconv(name: str) -> None:
    from statefmt.render.git_text import state_text

    try:
        snapshot, _ = _read(name)
    except StatetoolError as error:
        print(_unreadable(error))
        return
    for text in state_text(snapshot):
        sys.stdout.write(text)


def _diff(arguments: list[str]) -> None:
    """Print the differences. Git gives a path, the old file, its hash and mode, and the same of the new file.

    A new name may follow; of a file with conflicts there is the path alone. Source: git(1), GIT_EXTERNAL_DIFF.
    """
    from statefmt.comparison import diff
    from statefmt.render.diff_text import diff_text
    from statefmt.render.diff_values import Manner

    terminal = result_terminal()
    path = arguments[0]
    title = printable(f"{path} → {arguments[7]}" if len(arguments) > 7 else path)
    if _NO_FILE in arguments[1:5]:
        title += " (new file)" if arguments[1] == _NO_FILE else " (deleted)"
    print(terminal.paint(f"statetool diff {title}", "bold"))
    if len(arguments) < 7:
        print("has conflicts")
        return
    sides: list[tuple[Snapshot, int]] = []
    for which, name in (("the old version", arguments[1]), ("the new version", arguments[4])):
        try:
            sides.append(_read(name))
        except StatetoolError as error:
            print(f"{which}: {_unreadable(error)}")
            print(_AS_IT_IS)
            return
    (old, old_version), (new, new_version) = sides
    versions = old_version or new_version or 4, new_version or old_version or 4
    for piece in diff_text(diff(old, new, versions=versions), Manner(), terminal):
        print(piece)
    print()


def _read(name: str) -> tuple[Snapshot, int]:
    """A snapshot and its format version; an empty one and 0 for a side that does not exist."""
    if name == _NO_FILE or (os.path.isfile(name) and os.path.getsize(name) == 0):  # noqa: PTH113, PTH202
        return Snapshot(), 0
    result = load(name).result
    return result.snapshot, result.version


def _unreadable(error: StatetoolError) -> str:
    reason = str(error)
    if isinstance(error, StateError) and error.reasons:
        # Not the details: they may quote what is in the file.
        first = error.reasons[0]
        reason = "it is encrypted" if first.code == codes.ENCRYPTED else first.summary
    return f"(no state that can be read: {one_line(reason)})"
