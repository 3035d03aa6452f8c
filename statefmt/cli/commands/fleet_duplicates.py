"""`statetool fleet duplicates`: finds real objects that several states manage."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import Option

from statefmt.cli.exit_status import FINE, FOUND
from statefmt.cli.options.fleet_options import DEFAULT_INDEX, IntoOption
from statefmt.cli.options.shared import FormatOption, OutputFormat
from statefmt.cli.options.takes import declared
from statefmt.cli.streams import result_terminal, say
from statefmt.render.terminal import counted


@declared(
    paged=True,
    decrypts=False,
    connects=False,
    examples=(
        ("List the real objects that several states manage.", "statetool fleet duplicates"),
        ("Also list the copies of states.", "statetool fleet duplicates --copies"),
        ("Do so for a program.", "statetool fleet duplicates --into all.duckdb --format json"),
    ),
)
def fleet_duplicates_command(
    into: IntoOption = DEFAULT_INDEX,
    copies: Annotated[bool, Option("--copies", help="Also list states that are copies of one lineage.")] = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """List real objects that states of different lineages manage: each may change or destroy them.

    Objects are the same if they have the same identity; if not all states have it, the same ARN; else the same type,
    id, region and account. Of copies of one lineage, only those with the highest serial count, so that an object is no
    duplicate if it was moved. Deposed objects count, since the next apply destroys them. Data sources do not, and
    neither do objects whose id is hidden, or only has a meaning within a cluster, as in Kubernetes.

    Exit status 0: there are none; 1: there are some.
    """
    from statefmt.fleet import duplicate_objects, query, state_copies
    from statefmt.render.fleet import duplicates_json, duplicates_text

    found = duplicate_objects(into)
    if unread := query(into, "SELECT count(*) FROM states WHERE error IS NOT NULL").rows[0][0]:
        say(f"statetool: not compared: {counted(unread, 'state')} that could not be read")
    copied = state_copies(into) if copies else None
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(duplicates_json(found, copied))
    else:
        for line in duplicates_text(found, copied, result_terminal()):
            print(line)
        also = "" if copied is None else f", {counted(len(copied), 'lineage')} with copies"
        say(f"statetool: {counted(len(found), 'object')} managed by states of different lineages{also}")
    return FOUND if found else FINE
