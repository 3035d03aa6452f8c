"""`statetool show`, `outputs` and `pull`: print resource instances, output values, or a whole state."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Final

from typer import Argument, BadParameter, Context, Option

from statefmt import EncryptionError, SelectionError, Snapshot
from statefmt.addrs import is_identifier
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import opened_state, state_name
from statefmt.cli.options.configuration import SchemasOption, provider_schemas
from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.options.shared import (
    FormatOption,
    OutputFormat,
    PartOption,
    ShowSensitiveOption,
    StateArgument,
    StateOption,
    VersionOption,
    one_state,
)
from statefmt.cli.outcome import FINE
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.locations import state_words
from statefmt.render.show import (
    attribute_output,
    instance_texts,
    outputs_text,
    raw_output,
    typed_outputs_text,
    unmarked_note,
)
from statefmt.selection import Criteria, select, suggestion
from statefmt.snapshots import InstanceState, OutputValue, instances
from statefmt.text import shell_line


@examples(
    ("Show one instance.", "statetool show 'aws_instance.web[0]'"),
    ("Print one attribute, for a script.", "statetool show 'aws_instance.web[0]' --attr tags.Name --raw"),
    ("Show the instance with an id, with policies as JSON.", "statetool show --id i-0a1b2c3d4e5f --expand"),
)
@declared(paged=True, decrypts=True, connects=True)
@takes(chosen=criteria)
def show_command(
    state: StateOption = None,
    part: PartOption = None,
    attribute: Annotated[
        str | None, Option("--attr", metavar="PATH", help="One value of one instance: tags.Name, 'rule[0].port'.")
    ] = None,
    raw: Annotated[
        bool, Option("--raw", help="With --attr: print a string, number or bool without quotes or newline.")
    ] = False,
    expand: Annotated[bool, Option("--expand", help="Pretty-print JSON strings, such as policies.")] = False,
    show_sensitive: ShowSensitiveOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
    schemas: SchemasOption = None,
    version: VersionOption = None,
    *,
    chosen: Criteria,
) -> int:
    """Show resource instances as `tofu state show` does, without plugins; without a selector, outputs too.

    Sensitive values are hidden: attributes marked in the state, sensitive outputs, private data of providers, and what
    rules SEC001 to SEC004 and OUT004 take for a secret, marked or not. States from before Terraform 0.12 have no marks,
    so all that may be sensitive is hidden. With --schemas, what the schemas make sensitive is hidden too, and values
    have the form of their type. JSON is the values representation of `tofu show -json`, with `provider_instance`.
    """
    if raw and attribute is None:
        raise BadParameter("requires --attr", param_hint="--raw")
    by_type = provider_schemas(schemas)
    snapshot = opened_state(state, version, part=part).snapshot
    found = select(instances(snapshot), chosen, tell)
    if by_type is not None:
        from statefmt.provider_schemas import typed_instance

        found = [typed_instance(instance, by_type) for instance in found]
    if attribute is not None:
        as_json = output_format is OutputFormat.JSON
        text = attribute_output(
            found, attribute, raw=raw, as_json=as_json, show_sensitive=show_sensitive, expand=expand
        )
        write_result(text)
    elif output_format is OutputFormat.JSON:
        from statefmt.render.show import instances_json, state_json

        write = state_json if chosen == Criteria() else instances_json
        sys.stdout.buffer.write(write(snapshot, found, show_sensitive=show_sensitive))
    else:
        _show_text(snapshot, found, chosen == Criteria(), show_sensitive, expand)
    if attribute is None and not show_sensitive:
        note = unmarked_note(found, snapshot.outputs if chosen == Criteria() else ())
        if note:
            say(f"statetool: {note}")
    return FINE


def _show_text(
    snapshot: Snapshot, found: list[InstanceState], is_whole: bool, show_sensitive: bool, expand: bool
) -> None:
    """Print block by block, so that the first blocks appear at once."""
    terminal = result_terminal()
    separator = ""
    for instance in found:
        for text in instance_texts(instance, terminal, show_sensitive=show_sensitive, expand=expand):
            print(f"{separator}{text}")
            separator = "\n"
    if is_whole and snapshot.outputs:
        print(separator + outputs_text(snapshot.outputs, terminal, show_sensitive=show_sensitive, expand=expand))
    elif is_whole and not found:
        print("statetool: the state is empty: no resources and no outputs", file=sys.stderr)


# With this name of the command, the only argument is an output, as in `tofu output NAME`.
_AS_TOFU: Final = "output"


@examples(
    ("Show all outputs of the current workspace.", "statetool outputs"),
    ("Show one output.", "statetool outputs --state terraform.tfstate web_names"),
    ("Use an output in a script.", "statetool outputs --raw vpc_id"),
)
@declared(paged=True, decrypts=True, connects=True)
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


@examples(
    ("Save a copy of the state of the current workspace.", "statetool pull > copy.tfstate"),
    ("Save an earlier version, which the bucket keeps.", "statetool pull --version 3HL4kqtJlcpXroDTDmJ > old.tfstate"),
    ("Read an encrypted state with jq.", "statetool pull --encryption key.hcl prod.tfstate | jq .serial"),
)
@declared(paged=False, decrypts=True, connects=True)
def pull_command(state: StateArgument = None, state_option: StateOption = None, version: VersionOption = None) -> int:
    """Print a state as it is stored, or decrypted if it is encrypted.

    Like `tofu state pull`, but without a conversion: `statetool upgrade` prints older formats in the current one. The
    secrets of an encrypted state are not printed on a terminal.
    """
    opened = opened_state(one_state(state, state_option), version)
    if opened.is_encrypted and sys.stdout.isatty():
        raise EncryptionError("refusing to print the secrets of a state to the terminal; redirect the output to a file")
    write_result(opened.data)
    return FINE
