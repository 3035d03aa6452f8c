"""`statetool show`: shows resource instances and outputs."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import BadParameter, Option

from statefmt import Snapshot
from statefmt.cli.command import declared, takes
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.configuration import SchemasOption, provider_schemas
from statefmt.cli.options.selecting import criteria, selected
from statefmt.cli.options.shared import FormatOption, OutputFormat, ShowSensitiveOption, StateOption, VersionOption
from statefmt.cli.outcome import FINE
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.render.show import attribute_output, instance_texts, outputs_text, unmarked_note
from statefmt.selection import Criteria
from statefmt.snapshots import InstanceState, instances


@declared(
    paged=True,
    decrypts=True,
    connects=True,
    examples=(
        ("Show one instance.", "statetool show 'aws_instance.web[0]'"),
        ("Print one attribute, for a script.", "statetool show 'aws_instance.web[0]' --attr tags.Name --raw"),
        ("Show the instance with an id, with policies as JSON.", "statetool show --id i-0a1b2c3d4e5f --expand"),
    ),
)
@takes(chosen=criteria)
def show_command(
    state: StateOption = None,
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
    snapshot = opened_state(state, version).snapshot
    found = selected(instances(snapshot), chosen)
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
    """Print block by block, so that a reader of only the first ones gets them at once."""
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
