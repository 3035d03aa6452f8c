"""`statetool salvage`: takes the whole objects of a state that is no longer JSON."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated

from typer import Argument, BadParameter, Option

from statefmt import StoreError
from statefmt.cli.command import declared, examples
from statefmt.cli.named_state import state_name
from statefmt.cli.options.shared import (
    FormatOption,
    OutputFormat,
    ShowSensitiveOption,
    StateOption,
    YesOption,
    one_state,
)
from statefmt.cli.options.write import file_to_write
from statefmt.cli.outcome import FAILED, FINE, FOUND, kept_text
from statefmt.cli.run import command_line, run_context
from statefmt.cli.streams import message_terminal, result_terminal, say
from statefmt.locations import STANDARD_INPUT
from statefmt.render.salvage import salvage_json, salvage_text
from statefmt.salvage import Salvaged, salvage_state, write_salvaged
from statefmt.text import shell_line


class SideChoice(StrEnum):
    """A side of a conflict."""

    OURS = "ours"
    THEIRS = "theirs"


@examples(
    ("Show the whole objects of a damaged state.", "statetool salvage terraform.tfstate"),
    (
        "Save them, and fill gaps from a backup.",
        "statetool salvage terraform.tfstate --from terraform.tfstate.backup -o salvaged.tfstate",
    ),
    (
        "Use all known backups, and include objects that may have been destroyed since.",
        "statetool salvage terraform.tfstate --from-backups --include-uncertain -o salvaged.tfstate",
    ),
)
@declared(paged=False, decrypts=True, connects=True)
def salvage_command(
    state: Annotated[
        str | None, Argument(metavar="[FILE]", help="The damaged state: a file, a URL, or - for standard input.")
    ] = None,
    state_option: StateOption = None,
    out: Annotated[
        str | None, Option("--out", "--output", "-o", metavar="PATH", help="Write the result to PATH, never to FILE.")
    ] = None,
    backups: Annotated[
        list[str] | None, Option("--from", metavar="BACKUP", help="Fill gaps from a backup, or all in a folder.")
    ] = None,
    use_known: Annotated[
        bool, Option("--from-backups", help="Fill gaps from the backups beside FILE, and its history.")
    ] = False,
    include_uncertain: Annotated[
        bool, Option("--include-uncertain", help="Include objects that may be destroyed by now.")
    ] = False,
    side: Annotated[SideChoice | None, Option(help="The side to take of a file with conflict markers.")] = None,
    document: Annotated[
        int | None, Option("--document", metavar="N", help="The state to take of a file with several: 1, 2, …")
    ] = None,
    verbose: Annotated[bool, Option("--verbose", help="List all objects, not only the first ones.")] = False,
    show_sensitive: ShowSensitiveOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
    yes: YesOption = False,
) -> int:
    """Recover the whole objects of a state file that is no longer JSON.

    Reads files that were cut short, torn in the middle, filled with zeros, re-encoded, or mixed with other text. Takes
    whole objects only, and changes none. Mends one slip of a hand edit, such as a comma too many. Without --out, only
    shows what was found.

    Exit status 0: the file was whole; 1: it was not; 2: nothing was found, or a choice has to be made.
    """
    context, name = run_context(), state_name(one_state(state, state_option), to_read=True)
    out = file_to_write("--out", out)
    if out == "":
        raise BadParameter("the name is empty", param_hint="--out")
    if name == STANDARD_INPUT and out is not None and _is_standard_input(out):
        raise StoreError(f"{out}: this is the file on standard input, which is never overwritten")
    salvaged = salvage_state(
        context,
        name,
        backups=backups or (),
        use_known=use_known,
        include_uncertain=include_uncertain,
        side=None if side is None else side.value,
        document=document,
        out=out,
        overwrite=yes,
    )
    problem: OSError | None = None
    try:
        _report(salvaged, out, output_format, show_sensitive=show_sensitive, everything=verbose)
    except OSError as error:
        # The result was asked for, whether or not anyone reads about it.
        problem = error
    if salvaged.is_empty:
        say(f"{name}: nothing whole was found{'' if out is None else '; nothing was written'}")
    elif out is None:
        say("nothing was written; --out PATH saves what was salvaged")
    else:
        _write(salvaged, name, out, overwrite=yes)
        if problem is not None:
            problem.add_note(f"{out} was written nevertheless")
    if problem is not None:
        raise problem
    if salvaged.is_empty:
        return FAILED
    return FINE if salvaged.is_whole else FOUND


def _report(
    salvaged: Salvaged, out: str | None, output_format: OutputFormat, *, show_sensitive: bool, everything: bool
) -> None:
    """Print the report: to standard error if the result goes to standard output."""
    stream, terminal = (sys.stderr, message_terminal()) if out == STANDARD_INPUT else (sys.stdout, result_terminal())
    if output_format is OutputFormat.TEXT:
        print(salvage_text(salvaged, terminal, show_sensitive=show_sensitive, everything=everything), file=stream)
    else:
        written = None if salvaged.is_empty else out
        stream.buffer.write(salvage_json(salvaged, written, show_sensitive=show_sensitive))
    stream.flush()


def _write(salvaged: Salvaged, name: str, out: str, *, overwrite: bool) -> None:
    def written(backup: str | None) -> None:
        if out == STANDARD_INPUT:
            return
        encrypted = ", encrypted" if salvaged.is_encrypted else ""
        say(f"{out}: written{encrypted} with serial {salvaged.envelope.serial}{kept_text(backup)}")
        if name != STANDARD_INPUT and not salvaged.is_whole:
            say(f"`{shell_line(['statetool', 'restore', out, '--state', name])}` puts it in place of the damaged state")

    write_salvaged(run_context(), salvaged, out, message=command_line(), overwrite=overwrite, written=written)


def _is_standard_input(path: str) -> bool:
    """Return whether a path leads to the file that standard input reads."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(sys.stdin.fileno()))  # noqa: PTH116
    except (OSError, ValueError, AttributeError):
        return False
