"""`statetool git-driver`: compares states for git, as set up by `statetool git-config`."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Final

from typer import Argument

import statefmt
from statefmt import EncryptedStateError, RunContext, Snapshot, StateError, StatetoolError
from statefmt.cli.exit_status import FINE
from statefmt.cli.options.configuration import ENVIRONMENT
from statefmt.cli.options.takes import declared
from statefmt.cli.run import run_context
from statefmt.cli.streams import discard_output, result_terminal
from statefmt.locations import display_name
from statefmt.render.terminal import one_line
from statefmt.text import printable

# git's name for a side that does not exist.
_NO_FILE: Final = "/dev/null"

_ENCRYPTED: Final = "it is encrypted; set TF_ENCRYPTION to its encryption configuration to compare it"
_CACHED: Final = "diff.statetool.cachetextconv"
_AS_IT_IS: Final = "`git diff --no-ext-diff --no-textconv` shows the raw file, including any secrets"


class Role(StrEnum):
    """What git asks for."""

    DIFF = "diff"
    TEXTCONV = "textconv"


@declared(
    paged=False,
    decrypts=True,
    connects=False,
    examples=(
        ("Set up git to run this command.", "statetool git-config --enable"),
        ("Print a state as `git log -p` compares it.", "statetool git-driver textconv prod.tfstate"),
    ),
)
def git_driver_command(
    role: Annotated[Role, Argument(metavar="ROLE", help="diff, for `git diff`, or textconv, for `git log -p`.")],
    arguments: Annotated[
        list[str],
        Argument(metavar="ARGUMENT...", help="The arguments from git: a file, or a path and both versions of it."),
    ],
) -> int:
    """Compare two versions of a state for git, or convert one to text; `statetool git-config` sets this up.

    Sensitive values are never shown. Encrypted states are opened as by every command. A file that is not a state is
    reported, but never printed: it may be a damaged state with secrets. The exit status is 0 even then, so that git
    continues with the next file.
    """
    try:
        if role is Role.TEXTCONV:
            _textconv(arguments[0])
        else:
            _diff(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed the pipe. On any other exit status, git would report that its driver died.
        discard_output()
    return FINE


def _textconv(name: str) -> None:
    from statefmt.render.show import state_text

    context = run_context()
    if _is_kept_by_git():
        # git caches plain text, and would keep showing what it cached before the key was available.
        environment = {name: value for name, value in context.environment.items() if name != ENVIRONMENT}
        context = replace(context, encryption=None, environment=environment)
    try:
        snapshot, _ = _read(context, name)
    except StatetoolError as error:
        print(_unreadable(error, name))
        return
    for text in state_text(snapshot):
        sys.stdout.write(text)


def _diff(arguments: list[str]) -> None:
    """Print the differences. git passes a path, then the old file, its hash and mode, and the same for the new file.

    A new name may follow. For a file with conflicts, git passes only the path. Source: git(1), GIT_EXTERNAL_DIFF.
    """
    from statefmt.differences import diff
    from statefmt.render.diff.items import Manner
    from statefmt.render.diff.text import diff_text

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
            sides.append(_read(run_context(), name))
        except StatetoolError as error:
            print(f"{which}: {_unreadable(error, name)}")
            print(_AS_IT_IS)
            return
    (old, old_version), (new, new_version) = sides
    versions = old_version or new_version or 4, new_version or old_version or 4
    for piece in diff_text(diff(old, new, versions=versions), Manner(), terminal):
        print(piece)
    print()


def _read(context: RunContext, name: str) -> tuple[Snapshot, int]:
    """Read a snapshot and its format version; an empty snapshot and 0 for a side that does not exist."""
    if name == _NO_FILE or (os.path.isfile(name) and os.path.getsize(name) == 0):  # noqa: PTH113, PTH202
        return Snapshot(), 0
    state = statefmt.open(name, context=context)
    return state.snapshot, state.version


def _is_kept_by_git() -> bool:
    """Return whether git is configured to cache converted text, which `statetool git-config` never does."""
    try:
        done = subprocess.run(["git", "config", "--type=bool", "--get", _CACHED], capture_output=True, check=False)
    except OSError:
        return False
    return done.stdout.strip() == b"true"


def _unreadable(error: StatetoolError, name: str) -> str:
    # Drop the name, which is that of a temporary file of git's.
    reason = error.on_command_line.removeprefix(f"{display_name(name)}: ")
    if isinstance(error, StateError) and error.reasons:
        # Omit the details: they may quote the file.
        first = error.reasons[0]
        reason = _ENCRYPTED if isinstance(error, EncryptedStateError) else first.summary
    return f"(not a readable state: {one_line(reason)})"
