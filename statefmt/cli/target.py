"""Where a command that rewrites a whole state puts the result: standard output, another file, or the same file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NamedTuple, Optional

import typer

from statefmt.cli.command_line import command_line
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal
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


def chosen_target(name: str, output: str | None, in_place: bool) -> Target:
    """The target that --output and --in-place ask for, for the state of this name."""
    if in_place and output is not None:
        raise typer.BadParameter("cannot be used together with --output", param_hint="--in-place")
    if output == "":
        raise typer.BadParameter("the name is empty", param_hint="--output")
    if in_place and name == STANDARD_INPUT:
        raise typer.BadParameter("needs a file, not standard input", param_hint="--in-place")
    return Target(name if in_place else output or STANDARD_INPUT, in_place)


def write_to(
    target: Target, loaded: LoadedState, content: bytes, operation: str, report: str, *, replace: bool
) -> None:
    """Write the new content of a state, and print the report with where it went.

    With `replace`, another file that exists is backed up and replaced.
    """

    def end(line: str = "") -> None:
        ending = [message_terminal().wrap(line, "  ")] if line else []
        print("\n".join([report, *ending]), file=sys.stderr)

    def written(backup: Path | None) -> None:
        end("" if target.path == STANDARD_INPUT else f"written to {target.path}{kept_text(backup)}")

    if target.in_place:
        if replace_state(run_context(), loaded, content, operation, command_line(), written) is None:
            end("nothing to change; nothing was written")
    elif not write_new(run_context(), target.path, loaded.to_store(content), command_line(), written, replace=replace):
        end(f"{target.path} has this content already; nothing was written")


def kept_text(backup: Path | None, what: str = "file") -> str:
    """How a message ends where the `file` or `state` as it was is kept in a backup."""
    return f"; the {what} as it was is kept in {backup}" if backup else ""
