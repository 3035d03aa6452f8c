"""`statetool rekey`: changes the keys of instances."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Optional

import typer

from statefmt.analysis.selection import Criteria
from statefmt.cli.options.selecting import criteria
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import takes
from statefmt.cli.run import run_context
from statefmt.cli.surgery import Plan, carry_out, choose
from statefmt.edit.arguments.key_map import parse_key_lines, parse_key_map
from statefmt.edit.arguments.keys_by_attribute import keys_by_attribute
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.rekey import rekey, rekey_each
from statefmt.model.addrs import InstanceKey
from statefmt.model.snapshot import Snapshot


@takes(chosen=criteria, options=surgery_options)
def command(
    pairs: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--map", metavar="OLD=NEW,...", help="Change keys: 0=a,1=b; an empty key means no key."),
    ] = None,
    file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--map-file", metavar="FILE", help="Read the pairs from FILE, one per line."),
    ] = None,
    by: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--by", metavar="PATH", help="Use the attribute at this path as the key of each instance: tags.Name."
        ),
    ] = None,
    count: Annotated[bool, typer.Option("--count", help="With --by: use integer keys, for count.")] = False,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Change the keys of a resource's instances: from count to for_each or back, or from one for_each to another.

    Nothing else changes, except that depends_on is updated.
    """
    if (pairs is not None) + (file is not None) + (by is not None) != 1:
        raise typer.BadParameter("use exactly one of these", param_hint="--map, --map-file, --by")
    if count and by is None:
        raise typer.BadParameter("requires --by", param_hint="--count")
    keys = {} if by is not None else _keys(pairs, file)

    def operation(snapshot: Snapshot) -> Edit:
        found = choose(snapshot, chosen)
        if by is not None:
            return rekey_each(snapshot, keys_by_attribute(found, by, count=count))
        return rekey(snapshot, found, keys)

    return carry_out(Plan("rekey", operation), options)


def _keys(pairs: list[str] | None, file: Path | None) -> Mapping[InstanceKey, InstanceKey]:
    if file is not None:
        return parse_key_lines(run_context().read(str(file)).decode("utf-8", "replace"))
    return parse_key_map(pairs or [])
