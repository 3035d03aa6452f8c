"""`statetool moves`: finds moves in the plans of several folders."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from typer import Argument, BadParameter, Option

from statefmt.cli.command import declared
from statefmt.cli.options.configuration import SchemasOption, load_plan, provider_schemas
from statefmt.cli.options.shared import FormatOption, OutputFormat
from statefmt.cli.outcome import FINE, FOUND
from statefmt.cli.run import run_context
from statefmt.cli.streams import say, write_result
from statefmt.locations import STANDARD_INPUT, display_name
from statefmt.moves import Proposals, parse_ignored_attribute, propose_moves
from statefmt.operations_files import folder_names
from statefmt.render.terminal import counted


@declared(
    paged=False,
    decrypts=False,
    connects=True,
    examples=(
        ("Write the moved blocks for what was renamed.", "statetool moves plan.json >> moved.tf"),
        (
            "Do not compare an attribute that the provider changes.",
            "statetool moves plan.json --ignore aws_iam_role.path",
        ),
        (
            "Find moves between the states of two folders.",
            "statetool moves net/plan.json app/plan.json > split.stateops.hcl",
        ),
        ("Move in the state instead, without blocks.", "tofu show -json plan.bin | statetool moves - --operations"),
    ),
)
def moves_command(
    plans: Annotated[
        list[str],
        Argument(
            metavar="PLAN...",
            help="Plans in JSON (tofu show -json PLANFILE), or - for standard input. DIR=PLAN for one that is not in "
            "the folder it was made for.",
        ),
    ],
    operations: Annotated[
        bool, Option("--operations", help="Print an operations file; default for several plans.")
    ] = False,
    ignore: Annotated[
        list[str] | None,
        Option(metavar="TYPE.ATTRIBUTE", help="Do not compare this attribute; *.ATTRIBUTE: of every type."),
    ] = None,
    schemas: SchemasOption = None,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Find what a plan would destroy and create again with equal attributes, and print moved blocks for it.

    Two objects are a pair if type and provider are the same, every attribute that the plan knows of the new one is
    equal, at least one says something, their accounts and regions do not differ, and no other object fits. Null and
    empty values are equal, and with --schemas sets in any order. What moves as a whole gets one block. Comments list
    objects that fit several others: they are never guessed.

    Exit status 0: nothing is ambiguous; 1: some objects fit several others.
    """
    ignored = [parse_ignored_attribute(text) for text in ignore or ()]
    given = folder_plans(plans)
    in_states = operations or len(given) > 1
    by_type = provider_schemas(schemas)
    shown = {one.state: load_plan(one.file) for one in given}
    run_context().phase("comparing")
    found = propose_moves(shown, ignored, schemas=by_type, in_states=in_states)
    if output_format is OutputFormat.JSON:
        from statefmt.render.moves import moves_json

        states = {one.state: {"path": one.folder, "plan": display_name(one.file)} for one in given}
        write_result(moves_json(found, states))
    else:
        from statefmt.render.moves import moved_blocks, operations_file

        folders = {one.state: one.folder for one in given}
        print(operations_file(found, folders) if in_states else moved_blocks(found), end="")
        _report(found)
    for one in given:
        _warn_of_errors(one, errored=shown[one.state].errored)
    for rule in found.unused:
        say(f"statetool: warning: --ignore {rule}: no object that is destroyed or created has this attribute")
    return FOUND if found.ambiguous else FINE


def _report(found: Proposals) -> None:
    moved = len(found.instances)
    parts = [f"{counted(len(found.moves), 'move')} of {counted(moved, 'instance')}" if moved else "no moves found"]
    if found.ambiguous:
        parts.append(counted(len(found.ambiguous), "ambiguous group"))
    if found.destroyed or found.created:
        parts.append(f"without a counterpart: {len(found.destroyed):,} to destroy, {len(found.created):,} to create")
    say(f"statetool: {'; '.join(parts)}")
    if found.not_compared:
        say(
            f"statetool: warning: {counted(len(found.not_compared), 'created object')} not compared: too many are alike"
        )


def _warn_of_errors(plan: FolderPlan, *, errored: bool) -> None:
    if errored:
        name = display_name(plan.file)
        say(f"statetool: warning: {name}: the plan is incomplete, since planning failed with an error")


class FolderPlan(NamedTuple):
    """A plan in JSON, the folder of the root module that it was made for, and a name for the state of the folder."""

    state: str
    folder: str
    file: str


def folder_plans(arguments: Sequence[str]) -> list[FolderPlan]:
    """Return the plans that arguments `PLAN` and `DIR=PLAN` name. Raises BadParameter if two are of one folder.

    Without DIR, a plan is in its folder; one from standard input is of the current folder. States are named after
    their folders.
    """
    given = [_folder_and_file(argument) for argument in arguments]
    if [file for _, file in given].count(STANDARD_INPUT) > 1:
        raise BadParameter("only one of the plans can come from standard input")
    paths = [Path(os.path.abspath(folder)) for folder, _ in given]  # noqa: PTH100 - resolve() follows links
    for path, times in Counter(paths).items():
        if times > 1:
            folder = given[paths.index(path)][0]
            raise BadParameter(f"two plans are of the folder {folder}; write DIR=PLAN to name another one")
    return [
        FolderPlan(name, os.path.normpath(folder), file)
        for name, (folder, file) in zip(folder_names(paths), given, strict=True)
    ]


def _folder_and_file(argument: str) -> tuple[str, str]:
    folder, equals, file = argument.partition("=")
    if equals and folder and file and not os.path.lexists(argument):
        return folder, file
    return os.path.dirname(argument) or ".", argument  # noqa: PTH120 - Path would drop ./
