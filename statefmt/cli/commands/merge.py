"""`statetool merge`: merges two versions of a state that were made from the same earlier version."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

from typer import Argument, BadParameter, Option

from statefmt import Edit, Snapshot, StoreError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.commands.git import refuse_plain_result, stage, unmerged_versions
from statefmt.cli.named_state import opened_state, state_name
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.shared import FormatOption, OutputFormat, ShowSensitiveOption
from statefmt.cli.options.write import write_options
from statefmt.cli.outcome import FINE, FOUND, UsageError
from statefmt.cli.run import run_context
from statefmt.cli.streams import asking, result_terminal, say, write_result
from statefmt.cli.surgery import SurgeryOptions, carry_out
from statefmt.locations import STANDARD_INPUT
from statefmt.merging import Conflict, Decisions, MergeConflictError, MergeSide, merge, merged, parse_decisions
from statefmt.operations_files import EditOptions
from statefmt.render.merging import conflict_question, conflicts_json, conflicts_text
from statefmt.render.terminal import counted

_DECIDE: Final = "Decide with --ours SELECTOR, --theirs SELECTOR or --decisions FILE, which --format json prints"


@examples(
    ("Write the merge to another file.", "statetool merge base.tfstate ours.tfstate theirs.tfstate -o merged.tfstate"),
    (
        "Take their side of all conflicts in a module.",
        "statetool merge base.tfstate ours.tfstate theirs.tfstate --theirs module.app",
    ),
    (
        "Write the conflicts to a file, to decide each.",
        "statetool merge base.tfstate ours.tfstate theirs.tfstate --format json > decisions.json",
    ),
    (
        "Finish a merge in git: keep our side of its conflicts.",
        "statetool merge --continue prod/terraform.tfstate --ours '**'",
    ),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(write=write_options, configuration=configuration_options)
def merge_command(
    base: Annotated[str, Argument(metavar="BASE", help="The common base of both; with --continue, the path.")],
    ours: Annotated[str | None, Argument(metavar="OURS", help="The state that is written.")] = None,
    theirs: Annotated[str | None, Argument(metavar="THEIRS", help="The other side.")] = None,
    continues: Annotated[bool, Option("--continue", help="Merge and stage a state that git left unmerged.")] = False,
    decisions: Annotated[
        Path | None, Option(metavar="FILE", help="Decide conflicts as in FILE, as --format json prints it.")
    ] = None,
    take_ours: Annotated[
        list[str] | None,
        Option("--ours", metavar="SELECTOR", help="Take our side of these conflicts; ** is all others."),
    ] = None,
    take_theirs: Annotated[
        list[str] | None, Option("--theirs", metavar="SELECTOR", help="Take their side of these conflicts.")
    ] = None,
    interactive: Annotated[bool, Option("--interactive", help="Ask about each conflict on the terminal.")] = False,
    output_format: FormatOption = OutputFormat.TEXT,
    show_sensitive: ShowSensitiveOption = False,
    *,
    write: EditOptions,
    configuration: ConfigurationOptions,
) -> int:
    """Merge two states that were changed independently.

    Takes what only one side changed, and follows moves. What both changed is a conflict: nothing is written until each
    is decided. --format json lists the conflicts, and writes nothing.

    Exit status 0: merged, or no conflict is left; 1: conflicts are listed; 2: failure.
    """
    if continues:
        if ours is not None or theirs is not None or write.out is not None:
            raise UsageError("--continue takes the path of the state only.")
        old, ours, theirs = unmerged_versions(base)
        # git keeps all versions.
        write = replace(write, keep_backup=False)
    else:
        old = base
    if ours is None or theirs is None:
        raise UsageError("Give BASE, OURS and THEIRS, or the path of an unmerged state and --continue.")
    if [base, ours, theirs].count(STANDARD_INPUT) > 1:
        raise BadParameter("only one of the three states can come from standard input")
    ask = asking() if interactive else None
    if interactive and ask is None:
        raise StoreError("--interactive needs a terminal; use --decisions, --ours or --theirs")
    if interactive and output_format is OutputFormat.JSON:
        raise UsageError("--interactive cannot be combined with --format json.")
    selectors = [
        *((one, MergeSide.OURS) for one in take_ours or ()),
        *((one, MergeSide.THEIRS) for one in take_theirs or ()),
    ]
    decided = {} if decisions is None else parse_decisions(run_context().read(str(decisions)), str(decisions))
    given = Decisions(decided, tuple(selectors))
    their_state = opened_state(theirs)
    other = their_state.snapshot
    before = Snapshot(lineage=other.lineage) if old is None else opened_state(old).snapshot
    if ours != STANDARD_INPUT:
        refuse_plain_result(opened_state(ours), their_state)
    seen: dict[Conflict, MergeSide | None] = {}

    def decide(conflict: Conflict) -> MergeSide | None:
        if conflict not in seen:
            side = given.side(conflict)
            if side is None and ask is not None:
                side = MergeSide.OURS if ask(conflict_question(conflict, MergeSide.OURS)) else None
                if side is None and ask(conflict_question(conflict, MergeSide.THEIRS)):
                    side = MergeSide.THEIRS
            seen[conflict] = side
        return seen[conflict]

    if output_format is OutputFormat.JSON:
        left = merge(before, opened_state(ours).snapshot, other, decide).conflicts
        given.refuse_unused(seen)
        write_result(conflicts_json(sorted(seen), seen))
        return FOUND if left else FINE

    def operation(snapshot: Snapshot) -> Edit:
        edit = merged(snapshot, before, other, decide)
        given.refuse_unused(seen)
        return edit

    options = SurgeryOptions(ours, write, show_sensitive, configuration)
    try:
        status = carry_out("merge", operation, options, state=state_name(ours))
    except MergeConflictError as error:
        given.refuse_unused(seen)
        print(conflicts_text(error.conflicts, result_terminal()))
        say(f"{ours}: {counted(len(error.conflicts), 'conflict')}; nothing was written. {_DECIDE}")
        return FOUND
    if continues and status == FINE and not write.dry_run:
        stage(ours)
    return status
