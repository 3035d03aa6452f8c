"""Where a command that rewrites a whole state puts the result: standard output, another file, or the same file."""

from __future__ import annotations

from typing import Annotated, NamedTuple, Optional

import typer

from statefmt.cli.command_line import command_line
from statefmt.session import LoadedState, replace_state, write_new
from statefmt.store.reading import STANDARD_INPUT

OutputOption = Annotated[
    Optional[str],  # noqa: UP045 - typer reads the annotation at run time
    typer.Option("--output", "--out", "-o", metavar="OUT", help="Write here; - and the default: standard output."),
]
InPlaceOption = Annotated[bool, typer.Option("--in-place", "-i", help="Write back to STATE, after a backup.")]


class Target(NamedTuple):
    """Where to write: a path, `-` for standard output, or, `in_place`, the file that the state is read from."""

    path: str
    in_place: bool


class WrittenTo(NamedTuple):
    """The file that was written and the one that keeps what it had before; "" where there is none."""

    target: str
    backup: str


def chosen_target(name: str, output: str | None, in_place: bool) -> Target:
    """The target that --output and --in-place ask for, for the state of this name."""
    if in_place and output is not None:
        raise typer.BadParameter("cannot be used together with --output", param_hint="--in-place")
    if output == "":
        raise typer.BadParameter("the name is empty", param_hint="--output")
    if in_place and name == STANDARD_INPUT:
        raise typer.BadParameter("needs a file, not standard input", param_hint="--in-place")
    return Target(name if in_place else output or STANDARD_INPUT, in_place)


def write_to(target: Target, loaded: LoadedState, content: bytes, operation: str, *, replace: bool) -> WrittenTo:
    """Write the new content of a state. With `replace`, another file that exists is backed up and replaced."""
    if target.in_place:
        backup = replace_state(loaded, content, operation, command_line())
    else:
        backup = write_new(target.path, loaded.to_store(content), command_line(), replace=replace)
    return WrittenTo("" if target.path == STANDARD_INPUT else target.path, str(backup or ""))
