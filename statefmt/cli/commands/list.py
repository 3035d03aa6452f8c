"""`statetool list`: lists the resource instances in a state, or their objects."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

from typer import BadParameter, Option

from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.options.shared import PartOption, ShowSensitiveOption, StateOption
from statefmt.cli.outcome import FINE
from statefmt.cli.streams import result_columns, result_terminal, write_result
from statefmt.render.addresses import addresses_null, addresses_text
from statefmt.selection import Criteria, select
from statefmt.snapshots import InstanceState, each_instance, instances


class ListFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@examples(
    ("List everything below a module.", "statetool list module.network"),
    ("Show status, id and provider instance of all instances of a type.", "statetool list --long --type aws_instance"),
    ("List instances by the value of an attribute.", "statetool list --where 'tags.Owner=web-*'"),
    ("Pass the addresses to another program.", "statetool list --null --tainted | xargs -0 statetool untaint"),
)
@declared(paged=True, decrypts=True, connects=True)
@takes(chosen=criteria)
def list_command(
    state: StateOption = None,
    part: PartOption = None,
    long: Annotated[
        bool, Option("--long", "-l", help="Show each object: status, id, schema version, provider instance.")
    ] = False,
    null: Annotated[bool, Option("--null", "-0", help="End each address with a NUL, for xargs -0.")] = False,
    show_sensitive: ShowSensitiveOption = False,
    output_format: Annotated[
        ListFormat, Option("--format", help="The output format; default: text.")
    ] = ListFormat.TEXT,
    *,
    chosen: Criteria,
) -> int:
    """List the resource instances in a state, in the order of `tofu state list`.

    An instance is listed if it matches one of the selectors, and one value of each option. `ls` is an alias of `list`.
    """
    if null and (long or output_format is not ListFormat.TEXT):
        raise BadParameter("cannot be combined with --long or --format", param_hint="--null")
    snapshot = opened_state(state, part=part).snapshot
    if chosen == Criteria() and output_format is ListFormat.TEXT and not long and not null:
        # Print addresses as they are found: a list of them takes memory.
        sys.stdout.buffer.writelines(addresses_text(each_instance(snapshot)))
        return FINE
    found = select(instances(snapshot), chosen, tell)
    if output_format is ListFormat.TEXT and not long:
        sys.stdout.buffer.writelines([_null(found)] if null else addresses_text(found))
    elif output_format is ListFormat.CSV:
        from statefmt.render.listing import listing_csv

        write_result(listing_csv(found, long=long, show_sensitive=show_sensitive))
    else:
        sys.stdout.buffer.write(_listing(found, output_format, long=long, show_sensitive=show_sensitive))
    return FINE


def _null(found: Sequence[InstanceState]) -> bytes:
    text = addresses_null(found)
    if text.count(b"\0") != len(found):
        raise BadParameter("an address in this state contains a NUL; use --format json", param_hint="--null")
    return text


def _listing(found: Sequence[InstanceState], output_format: ListFormat, *, long: bool, show_sensitive: bool) -> bytes:
    from statefmt.render.listing import listing_json, listing_table

    if output_format is ListFormat.JSON:
        return listing_json(found, long=long, show_sensitive=show_sensitive)
    text = listing_table(found, result_terminal(), columns=result_columns(), show_sensitive=show_sensitive)
    return f"{text}\n".encode()
