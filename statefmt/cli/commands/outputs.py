"""`statetool outputs`: shows the output values of the root module."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Final

from typer import Argument, BadParameter, Context, Option

from statefmt import SelectionError
from statefmt.addrs import is_identifier
from statefmt.cli.command import declared
from statefmt.cli.named_state import opened_state, state_name
from statefmt.cli.options.shared import (
    FormatOption,
    OutputFormat,
    ShowSensitiveOption,
    StateArgument,
    StateOption,
    one_state,
)
from statefmt.cli.outcome import FINE
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.locations import state_words
from statefmt.render.show import raw_output, typed_outputs_text, unmarked_note
from statefmt.selection import suggestion
from statefmt.snapshots import OutputValue
from statefmt.text import shell_line

# With this name of the command, the only argument is an output, as in `tofu output NAME`.
_AS_TOFU: Final = "output"


@declared(
    paged=True,
    decrypts=True,
    connects=True,
    examples=(
        ("Show all outputs of the current workspace.", "statetool outputs"),
        ("Show one output.", "statetool outputs --state terraform.tfstate web_names"),
        ("Use an output in a script.", "statetool outputs --raw vpc_id"),
    ),
)
def outputs_command(
    context: Context,
    state: StateArgument = None,
    name: Annotated[
        str | None, Argument(metavar="[NAME]", help="Only this output. With --state, this is the only argument.")
    ] = None,
    state_option: StateOption = None,
    raw: Annotated[
        str | None, Option(metavar="NAME", help="Print this string, number or bool without quotes or newline.")
    ] = None,
    show_sensitive: ShowSensitiveOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show the output values of the root module with their types.

    Outputs that are sensitive are hidden, and so is what rule OUT004 takes for a secret, marked or not.
    """
    if name is None and (state_option is not None or context.info_name == _AS_TOFU):
        # `outputs --state FILE NAME` and `output NAME`
        state, name = None, state
    if state is not None and name is None and state_option is None:
        _refuse_name(state)
    if raw is not None and (name is not None or output_format is OutputFormat.JSON):
        raise BadParameter("cannot be combined with NAME or --format", param_hint="--raw")
    snapshot = opened_state(one_state(state, state_option)).snapshot
    wanted = name if raw is None else raw
    found = sorted(snapshot.outputs, key=lambda output: output.name)
    if wanted is not None:
        found = [_named(found, wanted)]
    if raw is not None:
        write_result(raw_output(found[0], show_sensitive=show_sensitive))
    elif output_format is OutputFormat.JSON:
        from statefmt.render.show import outputs_json

        sys.stdout.buffer.write(outputs_json(found, show_sensitive=show_sensitive))
    elif found:
        print(typed_outputs_text(found, result_terminal(), show_sensitive=show_sensitive))
    else:
        print("statetool: the state has no outputs", file=sys.stderr)
    note = "" if show_sensitive else unmarked_note((), found)
    if note:
        say(f"statetool: {note}")
    return FINE


def _refuse_name(argument: str) -> None:
    """Raise BadParameter if the only argument is the name of an output rather than a state."""
    if is_identifier(argument) and not os.path.lexists(argument):
        line = shell_line(["statetool", "outputs", *state_words(state_name(None, to_read=True)), argument])
        raise BadParameter(
            f"no such file: {argument}; to show the output of this name, write `{line}`", param_hint="STATE"
        )


def _named(outputs: Sequence[OutputValue], name: str) -> OutputValue:
    for output in outputs:
        if output.name == name:
            return output
    raise SelectionError(f"the state has no output {name!r}{suggestion(name, [output.name for output in outputs])}")
