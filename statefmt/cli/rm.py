"""`statetool rm`: instances forgotten; what they stand for goes on without the state."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.cli.selecting import (
    DeposedOption,
    ExcludeOption,
    IdOption,
    ModeOption,
    ProviderOption,
    SelectorsArgument,
    TaintedOption,
    TypeOption,
    criteria,
)
from statefmt.cli.surgery import Plan, surgery
from statefmt.selection import Criteria, select
from statefmt.states import Snapshot, instances
from statefmt.surgery.edit import Edit
from statefmt.surgery.rm import rm


@surgery
def command(
    selectors: SelectorsArgument = None,
    excluded: ExcludeOption = None,
    types: TypeOption = None,
    modes: ModeOption = None,
    providers: ProviderOption = None,
    ids: IdOption = None,
    tainted: TaintedOption = False,
    deposed: DeposedOption = False,
    keep_dangling: Annotated[
        bool, typer.Option("--keep-dangling", help="Keep the dependencies of others on what is gone.")
    ] = False,
) -> Plan:
    """Forget instances; the real objects go on existing, and nothing manages them any more.

    Dependencies of others on a resource that is gone as a whole are dropped.
    """
    wanted = criteria(
        selectors,
        excluded=excluded,
        types=types,
        modes=modes,
        providers=providers,
        ids=ids,
        tainted=tainted,
        deposed=deposed,
    )
    if wanted == Criteria():
        raise typer.BadParameter("say what to forget: an address, a pattern, or an option that selects")

    def operation(snapshot: Snapshot) -> Edit:
        found = select(instances(snapshot), wanted)
        return rm(snapshot, [instance.addr for instance in found], keep_dangling=keep_dangling)

    return Plan("rm", operation, asks=True)
