"""`statetool check` and `rule`: check states and configurations against the rules, and explain the rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, BadParameter, Option

from statefmt import RunContext, StoreError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import found_states, state_name
from statefmt.cli.options.configuration import (
    ConfigurationOptions,
    SchemasOption,
    configuration_options,
    load_plan,
    parsed_release,
    provider_schemas,
)
from statefmt.cli.options.findings import FindingOptions
from statefmt.cli.options.shared import CONFIGURATION, FormatOption, OutputFormat, StateOption
from statefmt.cli.options.write import FixOptions, fix_options
from statefmt.cli.outcome import FINE, FOUND, show_failure
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say
from statefmt.locations import STANDARD_INPUT, RemoteName, display_name, find_states, listed_states
from statefmt.render.check import rule_page, rules_json, rules_table
from statefmt.render.terminal import counted
from statefmt.rules import CheckedState, Gate, UnreadableState, all_pages, selected_rules

if TYPE_CHECKING:
    from statefmt.configuration import VariableOption


_PLAN: Final = "Plan"
_SCHEMA_RULE: Final = "STA019"


@examples(
    ("Check the state of this directory or, if it has none, all states below it.", "statetool check"),
    ("Compare a state with the configuration in this directory.", "statetool check --config . terraform.tfstate"),
    ("Gate a plan, and check that it is for this state.", "statetool check --plan plan.json terraform.tfstate"),
    ("Fix what has one right answer, and report the rest.", "statetool check --fix terraform.tfstate"),
)
@declared(paged=True, decrypts=True, connects=True)
@takes(finding=FindingOptions, configuration=configuration_options, fixing=fix_options)
def check_command(
    states: Annotated[
        list[str] | None,
        Argument(
            metavar="[STATE]...",
            help="Files, directories, globs, URLs or -; default: the workspace's state, or all below.",
        ),
    ] = None,
    state: StateOption = None,
    *,
    finding: FindingOptions,
    release: Annotated[
        str | None, Option("--for", metavar="RELEASE", help="Also report what this release would lose or refuse: 1.8.")
    ] = None,
    json_schema: Annotated[
        bool, Option("--json-schema", help="Also validate with the JSON schema of the format.")
    ] = False,
    everything: Annotated[bool, Option("--all", help="In directories, include backups and .terraform.")] = False,
    no_state: Annotated[
        bool, Option("--no-state", help="With --config or --plan: check no state.", rich_help_panel=CONFIGURATION)
    ] = False,
    plan: Annotated[
        str | None,
        Option(
            metavar="PLAN",
            help="Also check this plan (a plan file, or its JSON), and whether it was made for the state.",
            rich_help_panel=_PLAN,
        ),
    ] = None,
    schemas: SchemasOption = None,
    configuration: ConfigurationOptions,
    fixing: FixOptions,
) -> int:
    """Check states against the rules: files, directories and globs.

    With --config or --plan, also check it and compare the states with it.

    Exit status 0: no findings at or above the failing severity; 1: findings; 2: a file is not a state.
    """
    if fixing.fixes and (no_state or finding.write_baseline is not None):
        raise BadParameter("cannot be combined with --no-state or --write-baseline", param_hint="--fix/--diff")
    if fixing.fixes and everything:
        raise BadParameter("cannot be combined with --all, which includes backups", param_hint="--fix/--diff")
    if fixing.shows and not finding.is_plain:
        raise BadParameter("cannot be combined with --statistics or --format", param_hint="--diff")
    gate = finding.gate()
    if release is not None:
        gate = replace(gate, release=parsed_release(release))
    names = [*(states or ()), *([state] if state else ())]
    if no_state and (names or (configuration.directory is None and plan is None)):
        raise BadParameter("requires --config or --plan, and cannot be combined with states", param_hint="--no-state")
    if json_schema:
        _require_schema_rule(gate, no_state=no_state)
        gate = replace(gate, json_schema=True)
    by_type = provider_schemas(schemas)
    planned = None if plan is None else load_plan(plan, by_type)
    earlier: tuple[VariableOption, ...] = ()
    if plan is not None and planned is not None:
        from statefmt.plans import plan_variables

        gate = replace(gate, context=reading_once(gate.context))
        names = [] if no_state else [state_of_plan(plan, names, everything=everything)]
        # The variables that the plan was made with.
        earlier = plan_variables(planned, display_name(plan))
    gate = replace(
        gate,
        configuration=configuration.loaded(
            earlier=earlier,
            release=gate.release,
            # Without --config, the plan alone is checked, as its JSON is.
            plan=None if configuration.directory is None else planned,
            plan_name=display_name(plan or ""),
        ),
        schemas=by_type,
    )
    if not names and not no_state:
        only_one = gate.configuration is not None
        names = default_names(everything=everything, only_one=only_one, to_read=not fixing.fixes or fixing.shows)
    if fixing.fixes and STANDARD_INPUT in names:
        if not fixing.shows:
            raise BadParameter("writes to the state: name a file instead of standard input", param_hint="--fix")
        gate = replace(gate, context=reading_once(gate.context))
    fixed = FINE
    if fixing.fixes:
        from statefmt.cli.fixing import fix_all

        fixed = fix_all(gate, names, fixing, quiet=finding.quiet)
    if fixing.shows:
        return FINE if finding.exit_zero and fixed == FOUND else fixed
    checked, unreadable = check_all(gate, names, everything=everything)
    if plan is not None and planned is not None:
        checked.insert(0, gate.check_plan(plan, planned, names[0] if names and not unreadable else None))
    if gate.configuration is not None:
        checked.insert(0, gate.check_configuration())
    return finding.reported(gate, checked, unreadable, fixed)


def _require_schema_rule(gate: Gate, *, no_state: bool) -> None:
    """Raise BadParameter if --json-schema would have no effect."""
    if no_state:
        raise BadParameter("cannot be combined with --no-state", param_hint="--json-schema")
    selected = selected_rules(None if gate.select is None else tuple(gate.select), tuple(gate.ignore))
    if _SCHEMA_RULE not in selected.by_code:
        raise BadParameter(
            f"requires the rule {_SCHEMA_RULE}, which the options or the settings leave out", param_hint="--json-schema"
        )


_USUAL_STATE: Final = "terraform.tfstate"


def default_names(*, everything: bool, only_one: bool, to_read: bool) -> list[str]:
    """Return the default states to check: the state of the current workspace, else the directory.

    A selected workspace has its own state, so other states do not replace it; nor do they with `only_one`. Raises
    StoreError if there are none and, unless it is only `to_read`, if the state is outside the directory.
    """
    name = state_name(None, to_read=to_read)
    if only_one and name == _USUAL_STATE and not os.path.lexists(name):
        say(f"statetool: no {_USUAL_STATE} in this directory; --no-state checks the configuration alone")
    if name != _USUAL_STATE or only_one or os.path.lexists(name):
        return [name]
    try:
        found = find_states(["."], everything=everything)
    except StoreError as error:
        raise StoreError(
            f"no state to check: there is no {_USUAL_STATE} in this directory, and no *.tfstate below it; name a state "
            "or a directory"
        ) from error
    say(f"statetool: no {_USUAL_STATE} in this directory; checking {counted(len(found), 'state')} below {Path.cwd()}")
    return ["."]


def state_of_plan(plan: str, names: Sequence[str], *, everything: bool) -> str:
    """Return the state to compare with a plan from a file, by default the state of the current workspace.

    Raises StoreError if there is none, and BadParameter for several states.
    """
    if names:
        found = listed_states(run_context(), names, everything=everything)
        if len(found) > 1:
            raise BadParameter(f"a plan is compared with one state, but {len(found)} are named", param_hint="--plan")
        if found[0] == plan == STANDARD_INPUT:
            raise BadParameter("only one of the plan and the state can come from standard input")
        return found[0]
    name = state_name(None)
    if not isinstance(name, RemoteName) and not os.path.lexists(name):
        raise StoreError(
            f"there is no {name} to compare the plan with; name the state (- for the output of `tofu state pull`), or "
            "check the plan alone with --no-state"
        )
    return name


def reading_once(context: RunContext) -> RunContext:
    """Return a context that keeps standard input: a state from it is both checked and compared with the plan."""
    return replace(context, read_input=cache(context.read_input))


def check_all(
    gate: Gate, names: Sequence[str], *, everything: bool
) -> tuple[list[CheckedState], list[UnreadableState]]:
    """Check every state once. Report missing and unreadable states, and check the rest."""
    found, missing = found_states(names, everything=everything)
    unreadable = [UnreadableState(name, message) for name, message in missing]
    checked: list[CheckedState] = []
    for result in gate.check_all(found):
        if isinstance(result, CheckedState):
            checked.append(result)
        else:
            show_failure(StoreError(result.message))
            unreadable.append(result)
    return checked, unreadable


@examples(
    ("List all rules.", "statetool rule"),
    ("Explain one rule, and how to fix what it reports.", "statetool rule PRV003"),
    ("List the rules about providers.", "statetool rule PRV"),
)
@declared(paged=True, decrypts=False, connects=False)
def rule_command(
    code: Annotated[
        str | None, Argument(metavar="[CODE]", help="The code or name of a rule, or a prefix of codes.")
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """List the rules of `check` and `verify`, or explain one."""
    pages = list(all_pages().values())
    if code is not None:
        pages = [page for page in pages if page.rule.name == code or page.rule.code.startswith(code.upper())]
        if not pages:
            raise BadParameter(f"unknown rule {code!r}; `statetool rule` lists all rules", param_hint="CODE")
    terminal = result_terminal()
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(rules_json(pages))
    elif code is not None and len(pages) == 1:
        print(rule_page(pages[0], terminal))
    else:
        print(rules_table(pages, terminal))
    return FINE
