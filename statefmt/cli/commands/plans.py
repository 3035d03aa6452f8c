"""`statetool plan-show`, `verify` and `moves`: show a plan, compare an apply with it, and find moves in plans."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

from typer import Argument, BadParameter, Option

from statefmt import Severity
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.configuration import (
    ConfigurationOptions,
    SchemasOption,
    configuration_options,
    load_plan,
    provider_schemas,
    report_problems,
)
from statefmt.cli.options.findings import CheckFormat, CheckFormatOption, FailOnOption, print_report
from statefmt.cli.options.shared import FormatOption, OutputFormat, ShowSensitiveOption, StateOption
from statefmt.cli.outcome import FINE, FOUND, UsageError
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.locations import STANDARD_INPUT, display_name
from statefmt.moves import Proposals, parse_ignored_attribute, propose_moves
from statefmt.operations_files import folder_names
from statefmt.plans import PlanBindings, ShownPlan, plan_variables, state_in_plan, verify
from statefmt.render.moves import moved_blocks, moves_json, operations_file
from statefmt.render.terminal import counted
from statefmt.rules import CONFIGURATION_NOT_KNOWN, check_configuration, checked_state


class PlanFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


@examples(
    ("Show which provider instance makes each change.", "statetool plan-show plan.tfplan"),
    (
        "Show a plan in JSON, which has no configuration and no state.",
        "statetool plan-show plan.json --config . --state terraform.tfstate",
    ),
    ("Comment on a pull request.", "statetool plan-show plan.json --config . --format markdown"),
    (
        "Give a policy engine the provider instance of each change.",
        "tofu show -json plan.bin | statetool plan-show - --config . --format json",
    ),
)
@declared(paged=True, decrypts=True, connects=True)
@takes(configuration=configuration_options)
def plan_show_command(
    plan: Annotated[
        str, Argument(metavar="PLAN", help="A plan file, a plan in JSON (show -json), or - for standard input.")
    ],
    state: StateOption = None,
    output_format: Annotated[
        PlanFormat, Option("--format", help="The output format; default: text.")
    ] = PlanFormat.TEXT,
    show_sensitive: ShowSensitiveOption = False,
    schemas: SchemasOption = None,
    *,
    configuration: ConfigurationOptions,
) -> int:
    """Show the changes of a plan by provider instance.

    Plans do not name provider instances. They come from the configuration in --config, with the variables of the plan,
    and for objects that no block declares from the state before the plan (--state). A plan file contains all of them.
    First come missing provider instances, changes of provider instance, and what is destroyed or forgotten. In JSON,
    the plan is unchanged except for the members provider_instance and provider_instance_expression, and what is hidden.

    Hidden are values that the plan marks as sensitive, what rules SEC001 to SEC004 and OUT004 take for a secret, the
    arguments of actions that the plan does not mark at all, and in JSON the members that statetool does not know.

    Exit status 0: every provider instance exists, as far as is known; 1: one is missing, errors in the configuration
    hide it, or planning failed.
    """
    if plan == state == STANDARD_INPUT:
        raise BadParameter("only one of the plan and the state can come from standard input")
    shown = load_plan(plan, provider_schemas(schemas))
    if configuration.directory is None and not shown.file:
        raise UsageError("Missing option '--config': the directory of the configuration. Only a plan file contains it.")
    # Imported late: usage errors and wrong files do not need it.
    from statefmt.render.diff import Manner

    references = configuration.loaded(
        earlier=plan_variables(shown, display_name(plan)), plan=shown, plan_name=display_name(plan)
    )
    assert references is not None
    snapshot = state_in_plan(shown) if state is None else opened_state(state).snapshot
    bindings = PlanBindings(shown, references, snapshot, after_moves=state is None)
    if output_format is PlanFormat.JSON:
        _warn_if_incomplete(shown, plan)
    wrong = report_problems(check_configuration(references, select=CONFIGURATION_NOT_KNOWN))
    manner = Manner(show_sensitive=show_sensitive)
    if output_format is PlanFormat.JSON:
        from statefmt.render.plan_json import plan_json

        write_result(plan_json(shown, bindings, show_sensitive=show_sensitive))
    elif output_format is PlanFormat.MARKDOWN:
        from statefmt.render.plan import plan_markdown

        print(plan_markdown(shown, bindings, manner, display_name(plan)))
    else:
        from statefmt.render.plan import plan_text

        for piece in plan_text(shown, bindings, manner, result_terminal()):
            print(piece)
    missing = any(each.planned.is_missing for each in bindings.changes) or bindings.stranded
    return FOUND if missing or wrong or shown.errored else FINE


@examples(
    (
        "Check that an apply did what its plan says.",
        "statetool verify plan.json --before before.tfstate --after terraform.tfstate",
    ),
    ("Check the first apply, made without a state.", "statetool verify plan.json --after terraform.tfstate"),
    (
        "Compare values by their types: sets as sets, numbers as numbers.",
        "statetool verify plan.json --before before.tfstate --after terraform.tfstate --schemas schemas.json",
    ),
    (
        "Fail also on what OpenTofu tolerates for old providers.",
        "statetool verify plan.json --before before.tfstate --after terraform.tfstate --strict",
    ),
)
@declared(paged=True, decrypts=True, connects=False)
def verify_command(
    plan: Annotated[
        str, Argument(metavar="PLAN", help="The plan: a plan file, or its JSON (show -json), or - for standard input.")
    ],
    after: Annotated[str, Option(metavar="STATE", help="The state after the apply, or -.")],
    before: Annotated[
        str | None, Option(metavar="STATE", help="The state before the apply, or -; default: there was none.")
    ] = None,
    schemas: SchemasOption = None,
    strict: Annotated[
        bool, Option("--strict", help="Make what OpenTofu tolerates for old providers an error.")
    ] = False,
    fail_on: FailOnOption = None,
    output_format: CheckFormatOption = CheckFormat.TEXT,
    show_sensitive: ShowSensitiveOption = False,
) -> int:
    """Compare an apply with its plan, instance by instance.

    Each object must be as planned, and what the plan leaves alone as before. What only the provider decides may be
    anything that is known. Findings are those of the rules LIF (statetool rule LIF).

    Exit status 0: no findings at or above the failing severity; 1: findings, or planning failed; 2: failure.
    """
    if [plan, after, before].count(STANDARD_INPUT) > 1:
        raise BadParameter("only one of the files can come from standard input")
    by_type = provider_schemas(schemas)
    planned = load_plan(plan, by_type)
    _warn_if_incomplete(planned, plan)
    old = None if before is None else opened_state(before)
    new = opened_state(after)
    run_context().phase("comparing")
    found = verify(
        planned,
        None if old is None else old.snapshot,
        new.snapshot,
        schemas=by_type,
        strict=strict,
        show_sensitive=show_sensitive,
    )
    checked = [checked_state(new.location, new.data, new.version, found.after)]
    if old is not None:
        checked.insert(0, checked_state(old.location, old.data, old.version, found.before))
    failing = fail_on or Severity.ERROR
    print_report(checked, (), output_format, failing)
    if found.not_made:
        say(f"statetool: {found.not_made} of {counted(found.planned, 'planned change')} not made")
    worst = max((finding.severity.rank for state in checked for finding in state.findings), default=-1)
    return FOUND if worst >= failing.rank or planned.errored else FINE


@examples(
    ("Write the moved blocks for what was renamed.", "statetool moves plan.json >> moved.tf"),
    ("Do not compare an attribute that the provider changes.", "statetool moves plan.json --ignore aws_iam_role.path"),
    (
        "Find moves between the states of two folders.",
        "statetool moves net/plan.json app/plan.json > split.stateops.hcl",
    ),
    ("Move in the state instead, without blocks.", "statetool moves plan.tfplan --operations"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(configuration=configuration_options)
def moves_command(
    plans: Annotated[
        list[str],
        Argument(
            metavar="PLAN...",
            help="Plan files, or plans in JSON (show -json), or - for standard input. DIR=PLAN for one that is not in "
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
    *,
    configuration: ConfigurationOptions,
) -> int:
    """Find what a plan would destroy and create again with equal attributes, and print moved blocks for it.

    Two objects are a pair if type and provider are the same, every attribute that the plan knows of the new one is
    equal, at least one says something, accounts and regions do not differ (with --config, those of each provider
    instance), and no other object fits. Null and empty values are equal, and with --schemas sets in any order. What
    moves as a whole gets one block. Comments list objects that fit several others.

    Exit status 0: nothing is ambiguous; 1: something is, or planning failed.
    """
    ignored = [parse_ignored_attribute(text) for text in ignore or ()]
    given = folder_plans(plans)
    if configuration.directory is not None and len(given) > 1:
        raise BadParameter("is the configuration of one plan, but several are named", param_hint="--config")
    if configuration.directory is None and configuration.variables:
        raise BadParameter("requires --config", param_hint=configuration.variables[0][0])
    in_states = operations or len(given) > 1
    by_type = provider_schemas(schemas)
    shown = {one.state: load_plan(one.file, by_type) for one in given}
    for one in given:
        _warn_if_incomplete(shown[one.state], one.file)
    run_context().phase("comparing")
    references = {}
    if configuration.directory is not None:
        ((name, planned),) = shown.items()
        file = display_name(given[0].file)
        loaded = configuration.loaded(earlier=plan_variables(planned, file), plan=planned, plan_name=file)
        assert loaded is not None
        report_problems(check_configuration(loaded, select=CONFIGURATION_NOT_KNOWN))
        references[name] = loaded
    found = propose_moves(shown, ignored, schemas=by_type, references=references, in_states=in_states)
    if output_format is OutputFormat.JSON:
        states = {one.state: {"path": one.folder, "plan": display_name(one.file)} for one in given}
        write_result(moves_json(found, states))
    else:
        folders = {one.state: one.folder for one in given}
        print(operations_file(found, folders) if in_states else moved_blocks(found), end="")
        _report(found)
    for rule in found.unused:
        say(f"statetool: warning: --ignore {rule}: no object that is destroyed or created has this attribute")
    return FOUND if found.ambiguous or any(plan.errored for plan in shown.values()) else FINE


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


def _warn_if_incomplete(plan: ShownPlan, name: str) -> None:
    # Imported late: usage errors and wrong files do not need it.
    from statefmt.render.plan import remarks

    for text in remarks(plan):
        kind = "" if plan.errored else "warning: "
        say(f"statetool: {kind}{display_name(name)}: {text[0].lower()}{text[1:].removesuffix('.')}")


class FolderPlan(NamedTuple):
    """A plan in JSON, the folder of its root module, and a name for the state of the folder."""

    state: str
    folder: str
    file: str


def folder_plans(arguments: Sequence[str]) -> list[FolderPlan]:
    """Return the plans of arguments `PLAN` and `DIR=PLAN`. Raises BadParameter if two have the same folder.

    Without DIR, a plan belongs to its own folder, and a plan from standard input to the current folder. States are
    named after their folders.
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
