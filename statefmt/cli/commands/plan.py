"""`statetool plan` and `apply`: show what an operations file does to its states, and run it on all of them or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Annotated, Final

from typer import Argument, BadParameter, Option

from statefmt.cli.command import declared, examples, takes
from statefmt.cli.many_states import apply_line, apply_options, apply_shown, report_ended, show_outcome
from statefmt.cli.options.ending import ending_options
from statefmt.cli.options.shared import ShowSensitiveOption
from statefmt.cli.outcome import FINE, UsageError
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.cli.surgery import AsBlocksOption, show_outcome_as_blocks
from statefmt.operations_files import (
    CommandOperations,
    EditOptions,
    Ending,
    FileOutcome,
    applied_operations,
    converted_migration,
    ended_operations,
    is_plan_file,
    paths_to_allow,
    planned_in_memory,
    planned_operations,
    write_operations,
    write_plan,
)
from statefmt.render.diff import Manner


@examples(
    ("Show what an operations file does, one comparison for each state.", "statetool plan split.stateops.hcl"),
    ("Write down what was reviewed, for `apply`.", "statetool plan split.stateops.hcl -o split.plan.json"),
    ("Print moved, removed and import blocks instead.", "statetool plan split.stateops.hcl --as-blocks"),
    (
        "Make an operations file of a migration of tfmigrate.",
        "statetool plan --from-tfmigrate tfmigrate/mv.hcl --root . -o mv.stateops.hcl",
    ),
)
@declared(paged=True, decrypts=True, connects=True)
def plan_command(
    operations: Annotated[
        str | None, Argument(metavar="[FILE]", show_default=False, help="An operations file.")
    ] = None,
    out: Annotated[
        str | None,
        Option(
            "--out",
            "-o",
            metavar="PLAN",
            help="Write the plan to a new file, which `apply` takes; with --from-tfmigrate, the operations file.",
        ),
    ] = None,
    migration: Annotated[
        str | None,
        Option("--from-tfmigrate", metavar="FILE", help="Take the operations from a migration of tfmigrate."),
    ] = None,
    root: Annotated[
        str | None,
        Option("--root", metavar="DIR", help="The folder that tfmigrate runs in; default: that of the migration."),
    ] = None,
    as_blocks: AsBlocksOption = False,
    show_sensitive: ShowSensitiveOption = False,
) -> int:
    """Show what an operations file does to its states, and write nothing but the plan.

    A plan pins each state: its place, lineage, serial, content and version, and the result. It has hashes of contents,
    and no values.

    The directories of a migration must be below the folder that it is run in. Its `xmv` actions become moves of what
    their wildcards match now. An import is refused: it needs the provider.
    """
    if operations is None and migration is None:
        raise UsageError("Missing argument 'FILE'.")
    if operations is not None and migration is not None:
        raise BadParameter("cannot be combined with FILE", param_hint="--from-tfmigrate")
    if as_blocks and out is not None:
        raise BadParameter("cannot be combined with --out: nothing is written", param_hint="--as-blocks")
    if root is not None and migration is None:
        raise BadParameter("requires --from-tfmigrate", param_hint="--root")
    status, manner = FINE, Manner(show_sensitive=show_sensitive)

    def shown(names: Mapping[str, str], outcome: FileOutcome) -> bool:
        nonlocal status
        if as_blocks:
            status = show_outcome_as_blocks(names, outcome, show_sensitive=show_sensitive)
        else:
            show_outcome(names, outcome, manner, to_messages=False)
        return False

    if migration is not None:
        _of_migration(migration, root, out, shown)
    elif operations is not None:
        planned = planned_operations(run_context(), operations, out)
        shown(planned.names, planned.outcome)
        if not any(one.changes for one in planned.outcome.outcomes.values()):
            say(f"{operations}: no changes")
        if out is not None:
            write_plan(out, planned)
            # The usual command needs no advice.
            say(f"{out}: written" + (f"; apply it with `{apply_line(out)}`" if paths_to_allow(out) else ""))
    return status


def _of_migration(
    migration: str, root: str | None, out: str | None, shown: Callable[[Mapping[str, str], FileOutcome], bool]
) -> None:
    if out is not None and not out.endswith(".hcl"):
        raise BadParameter("an operations file ends in .stateops.hcl", param_hint="--out")
    converted = converted_migration(run_context(), migration, root=root)
    for action in converted.unmatched:
        say(f"statetool: warning: {action}: nothing matches")
    planned_in_memory(
        run_context(), CommandOperations(converted.text(), ("plan", "--from-tfmigrate", migration)), shown
    )
    if out is not None:
        write_operations(out, converted.text(os.path.dirname(out) or "."))  # noqa: PTH120 - Path would drop ./
        say(f"{out}: written; review it, then run `{apply_line(out)}`")


_ADVICE: Final = "Use `statetool plan` to see the changes, or --yes to write them"


@examples(
    ("Run an operations file; its changes are shown first.", "statetool apply split.stateops.hcl"),
    ("Apply exactly what was reviewed.", "statetool apply split.plan.json"),
    ("After a crash, finish an apply.", "statetool apply --resume split.stateops.hcl"),
    ("After a crash, take an apply back.", "statetool apply --abort split.stateops.hcl"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=apply_options, ending=ending_options)
def apply_command(
    operations: Annotated[str, Argument(metavar="FILE|PLAN", help="An operations file, or a plan of one.")],
    *,
    options: EditOptions,
    show_sensitive: ShowSensitiveOption = False,
    ending: Ending | None,
) -> int:
    """Run the operations of a file on all its states, or on none.

    All states are locked, and all results are made and checked before the first write. A plan must match: its file, the
    states and the results. If a write fails, those before it are taken back. After a crash, the states stay locked to
    statetool until --resume or --abort. If something else has written a state, neither writes anything.
    """
    if ending is not None:
        return report_ended(operations, ended_operations(run_context(), operations, ending, options), ending)
    asks = not is_plan_file(operations)
    return apply_shown(
        operations,
        lambda agreed: applied_operations(run_context(), operations, options, agreed=agreed),
        options,
        Manner(show_sensitive=show_sensitive),
        asks=lambda _: asks,
        advice=_ADVICE,
    )
