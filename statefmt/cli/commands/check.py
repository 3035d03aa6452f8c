"""`statetool check`: checks states and configurations against the rules."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, Optional

import typer

from statefmt import Severity
from statefmt.cli.check_report import CheckFormat, print_report, print_statistics
from statefmt.cli.checking import check_all, default_names, reading_once, state_of_plan
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.fixing import FixOptions, fix_options
from statefmt.cli.options.groups import CONFIGURATION
from statefmt.cli.options.plan_file import load_plan
from statefmt.cli.options.release import parsed_release
from statefmt.cli.options.schemas import SchemasOption, provider_schemas
from statefmt.cli.options.shared import StateOption
from statefmt.cli.options.takes import takes
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.locations import STANDARD_INPUT, display_name
from statefmt.rules import (
    NO_STATE,
    CheckedState,
    Gate,
    Settings,
    find_settings,
    load_settings,
    read_baseline,
    relative_path,
    selected_rules,
    write_baseline,
)

if TYPE_CHECKING:
    # Most runs have neither a configuration nor a plan.
    from statefmt.configuration import VariableOption
    from statefmt.plans import ShownPlan

_SETTINGS: Final = "Settings and baseline"
_PLAN: Final = "Plan"


class FailOn(StrEnum):
    """The lowest severity that makes the command fail."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


EXAMPLES: Final = (
    ("Check the state of this directory or, if it has none, all states below it.", "statetool check"),
    ("Compare a state with the configuration in this directory.", "statetool check --config . terraform.tfstate"),
    ("Gate a plan, and check that it is for this state.", "statetool check --plan plan.json terraform.tfstate"),
    ("Fix what has one right answer, and report the rest.", "statetool check --fix terraform.tfstate"),
)


@takes(configuration=configuration_options, fixing=fix_options)
def command(
    states: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(
            metavar="[STATE]...",
            help="Files, directories, globs, URLs or -; default: the workspace's state, or all below.",
        ),
    ] = None,
    state: StateOption = None,
    select: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="CODES", help="Run only these rules: codes or prefixes, with commas."),
    ] = None,
    ignore: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="CODES", help="Skip these rules; overrides --select."),
    ] = None,
    release: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--for", metavar="RELEASE", help="Also report what this release would lose: 1.8."),
    ] = None,
    fail_on: Annotated[
        Optional[FailOn],  # noqa: UP045
        typer.Option(
            metavar="SEVERITY", show_default=False, help="Fail on this or higher: error (the default), warning, info."
        ),
    ] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 even if there are findings.")] = False,
    output_format: Annotated[
        CheckFormat,
        typer.Option(
            "--format",
            metavar="FORMAT",
            show_default=False,
            help="text (the default), concise, json, sarif, junit, github.",
        ),
    ] = CheckFormat.TEXT,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no findings, only set the exit status.")] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Show the number of findings of each rule instead.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="In directories, include backups and .terraform.")] = False,
    baseline: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE", help="Report only findings that are not in this baseline.", rich_help_panel=_SETTINGS
        ),
    ] = None,
    write_baseline: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE", help="Write all findings to a baseline, and exit with 0.", rich_help_panel=_SETTINGS
        ),
    ] = None,
    settings: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE",
            help="Read settings from FILE; default: the nearest statetool.toml or pyproject.toml.",
            rich_help_panel=_SETTINGS,
        ),
    ] = None,
    no_settings: Annotated[
        bool, typer.Option("--no-settings", help="Ignore settings files.", rich_help_panel=_SETTINGS)
    ] = False,
    no_state: Annotated[
        bool, typer.Option("--no-state", help="With --config or --plan: check no state.", rich_help_panel=CONFIGURATION)
    ] = False,
    plan: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--plan",
            metavar="PLAN",
            help="Also check this plan in JSON (tofu show -json PLANFILE), and whether it was made for the state.",
            rich_help_panel=_PLAN,
        ),
    ] = None,
    schemas: SchemasOption = None,
    *,
    configuration: ConfigurationOptions,
    fixing: FixOptions,
) -> int:
    """Check states against the rules: files, directories and globs.

    With --config and --plan, also check these, and compare the states with them. --fix first fixes what has one right
    answer.

    Exit status 0: no findings at or above the failing severity; 1: findings; 2: a file is not a state.
    """
    if quiet and (statistics or output_format is not CheckFormat.TEXT):
        raise typer.BadParameter("cannot be combined with --statistics or --format", param_hint="--quiet")
    if fixing.fixes and (no_state or write_baseline is not None):
        raise typer.BadParameter("cannot be combined with --no-state or --write-baseline", param_hint="--fix/--diff")
    if fixing.fixes and everything:
        raise typer.BadParameter("cannot be combined with --all, which includes backups", param_hint="--fix/--diff")
    if fixing.shows and (statistics or output_format is not CheckFormat.TEXT):
        raise typer.BadParameter("cannot be combined with --statistics or --format", param_hint="--diff")
    gate = _gate(select, ignore, settings, no_settings)
    if release is not None:
        gate = replace(gate, release=parsed_release(release))
    if write_baseline is None:
        gate = _with_baseline(gate, baseline)
    names = [*(states or ()), *([state] if state else ())]
    if no_state and (names or (configuration.directory is None and plan is None)):
        raise typer.BadParameter(
            "requires --config or --plan, and cannot be combined with states", param_hint="--no-state"
        )
    given = None if plan is None else _Plan(plan, load_plan(plan))
    if given is not None:
        gate = replace(gate, context=reading_once(gate.context))
        names = [] if no_state else [state_of_plan(given.name, names, everything=everything)]
    earlier = given.variables if given else ()
    gate = replace(gate, configuration=configuration.loaded(earlier=earlier), schemas=provider_schemas(schemas))
    if not names and not no_state:
        names = default_names(everything=everything, only_one=gate.configuration is not None)
    if fixing.fixes and STANDARD_INPUT in names:
        if not fixing.shows:
            raise typer.BadParameter("writes to the state: name a file instead of standard input", param_hint="--fix")
        gate = replace(gate, context=reading_once(gate.context))
    fixed = FINE
    if fixing.fixes:
        from statefmt.cli.fixing import fix_all

        fixed = fix_all(gate, names, fixing, quiet=quiet)
    if fixing.shows:
        return FINE if exit_zero and fixed == FOUND else fixed
    checked, unreadable = check_all(gate, names, everything=everything)
    if given is not None:
        checked.insert(0, gate.check_plan(given.name, given.plan, names[0] if names and not unreadable else None))
    if gate.configuration is not None:
        checked.insert(0, gate.check_configuration())
    unusable = any(finding.code in NO_STATE for result in checked for finding in result.findings)
    status = FAILED if unreadable or unusable else fixed
    if write_baseline is not None:
        _write_baseline(write_baseline, checked)
        return status
    failing = Severity(fail_on.value if fail_on else gate.settings.fail_on)
    if statistics:
        print_statistics(checked)
    elif not quiet:
        print_report(checked, unreadable, output_format, failing)
    return status if exit_zero else max(status, *(_status(result, failing) for result in checked), FINE)


class _Plan(NamedTuple):
    """The plan to check, and the name of its file."""

    name: str
    plan: ShownPlan

    @property
    def variables(self) -> tuple[VariableOption, ...]:
        """The variables that it was made with, for the configuration."""
        from statefmt.plans import plan_variables

        return plan_variables(self.plan, display_name(self.name))


def _gate(select: str | None, ignore: str | None, settings: Path | None, no_settings: bool) -> Gate:
    """Return what to check for, from the command line and the settings, without a baseline."""
    found = None if no_settings else settings or find_settings(Path.cwd())
    settled = load_settings(found) if found else Settings()
    folder = found.parent if found else Path()
    chosen = _codes(select) or settled.select
    ignored = [*(_codes(ignore) or ()), *(settled.ignore if select is None else ())]
    try:
        selected_rules(None if chosen is None else tuple(chosen), tuple(ignored))
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--select/--ignore") from error
    return Gate(run_context(), select=chosen, ignore=ignored, settings=settled, folder=folder)


def _with_baseline(gate: Gate, named: Path | None) -> Gate:
    """Return the gate with the baseline named on the command line, else with that of the settings."""
    path = named or gate.settings.baseline_in(gate.folder)
    return replace(gate, baseline=read_baseline(path), baseline_folder=path.parent) if path else gate


def _write_baseline(path: Path, checked: list[CheckedState]) -> None:
    findings = {relative_path(result.name, path.parent): result.findings for result in checked}
    write_baseline(path, findings)
    count = sum(len(found) for found in findings.values())
    say(f"{path}: {count} finding{'' if count == 1 else 's'} written")


def _codes(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def _status(result: CheckedState, failing: Severity) -> int:
    return FOUND if any(finding.severity.rank >= failing.rank for finding in result.findings) else FINE
