"""`statetool rm`: forgets instances without destroying the real objects."""

from __future__ import annotations

from typing import Annotated, Final, Optional

import typer
from msgspec.structs import replace

from statefmt.analysis.selection import Criteria
from statefmt.cli.options.selecting import criteria
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import takes
from statefmt.cli.surgery import Plan, carry_out, choose
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.forget_deposed import forget_deposed
from statefmt.edit.operations.rm import rm
from statefmt.model.snapshot import Snapshot

EXAMPLES: Final = (
    ("Forget a resource, but keep the real objects.", "statetool rm aws_instance.web"),
    ("Forget everything of one provider instance.", "statetool rm --provider 'aws.by_region[\"eu-west-1\"]'"),
    ("See what a pattern would forget.", "statetool rm --dry-run 'module.old.**'"),
)


@takes(chosen=criteria, options=surgery_options)
def command(
    deposed: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(metavar="KEY", help="Forget only the deposed object with this key, and keep the instance."),
    ] = None,
    keep_dangling: Annotated[
        bool, typer.Option("--keep-dangling", help="Keep dependencies on forgotten resources.")
    ] = False,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Forget instances. The real objects continue to exist, and nothing manages them any more.

    Dependencies on a resource are dropped if all of it is gone. A resource without instances is forgotten by its
    address.
    """

    def operation(snapshot: Snapshot) -> Edit:
        if deposed is not None:
            return forget_deposed(snapshot, choose(snapshot, chosen), deposed)
        # A resource without instances meets no condition on instances.
        named = chosen.selectors if replace(chosen, selectors=()) == Criteria() else ()
        empty = [one.addr for one in snapshot.resources if not one.objects and str(one.addr) in named]
        others = tuple(selector for selector in chosen.selectors if selector not in set(map(str, empty)))
        found = choose(snapshot, replace(chosen, selectors=others)) if others or not empty else []
        return rm(snapshot, [instance.addr for instance in found], empty, keep_dangling=keep_dangling)

    return carry_out(Plan("rm", operation, asks=True), options)
