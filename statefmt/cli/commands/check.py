"""`statetool check`: checks states and configurations against the rules."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Optional

import typer

from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.failure import show_failure
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.release import parsed_release
from statefmt.cli.options.shared import StateOption, StatesArgument
from statefmt.cli.options.takes import takes
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say
from statefmt.formats.versions.decode import collector_paused
from statefmt.lint.baseline import baseline_text, read_baseline
from statefmt.lint.check import selected_rules
from statefmt.lint.checked import CheckedState, UnreadableState
from statefmt.lint.gate import Gate, relative_path
from statefmt.lint.settings import Settings, find_settings, load_settings
from statefmt.model import codes
from statefmt.model.errors import StoreError
from statefmt.model.findings import Severity
from statefmt.render.check.text import check_text, statistics_text
from statefmt.store.discover import find_states
from statefmt.store.small_files import write_over


class FailOn(StrEnum):
    """The lowest severity that makes the command fail."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class CheckFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


@takes(configuration=configuration_options)
def command(
    states: StatesArgument = None,
    state: StateOption = None,
    select: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(metavar="CODES", help="Run only these rules: codes or prefixes, separated by commas."),
    ] = None,
    ignore: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="CODES", help="Skip these rules; overrides --select."),
    ] = None,
    release: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--for", metavar="RELEASE", help="Also report what this release would lose: opentofu-1.8, 1.8."),
    ] = None,
    fail_on: Annotated[
        Optional[FailOn],  # noqa: UP045
        typer.Option(show_default=False, help="Fail on findings of this severity or higher; default: error."),
    ] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 even if there are findings.")] = False,
    output_format: Annotated[
        CheckFormat, typer.Option("--format", show_default=False, help="The output format; default: text.")
    ] = CheckFormat.TEXT,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Show the number of findings of each rule instead.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="In directories, include backups and .terraform.")] = False,
    baseline: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Report only findings that are not in this baseline."),
    ] = None,
    write_baseline: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Write all findings to a baseline, and exit with 0."),
    ] = None,
    settings: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE", help="Read settings from FILE; default: the nearest statetool.toml or pyproject.toml."
        ),
    ] = None,
    no_settings: Annotated[bool, typer.Option("--no-settings", help="Ignore settings files.")] = False,
    no_state: Annotated[bool, typer.Option("--no-state", help="With --config: check only the configuration.")] = False,
    *,
    configuration: ConfigurationOptions,
) -> int:
    """Check states against the rules: files, directories and globs.

    With --config, check the configuration and compare the states with it.

    Exit status 0: no findings at or above the failing severity; 1: findings; 2: a file is not a state.
    """
    gate = _gate(select, ignore, settings, no_settings)
    if release is not None:
        gate = replace(gate, release=parsed_release(release))
    if write_baseline is None:
        gate = _with_baseline(gate, baseline)
    names = [*(states or ()), *([state] if state else ())]
    if no_state and (names or configuration.directory is None):
        raise typer.BadParameter("requires --config, and cannot be combined with states", param_hint="--no-state")
    gate = replace(gate, configuration=configuration.loaded())
    checked, unreadable = _check_all(gate, [] if no_state else names or [_default_state()], everything)
    if gate.configuration is not None:
        checked.insert(0, gate.check_configuration())
    unusable = any(finding.code in codes.NO_STATE for result in checked for finding in result.findings)
    status = FAILED if unreadable or unusable else FINE
    if write_baseline is not None:
        _write_baseline(write_baseline, checked)
        return status
    failing = Severity(fail_on.value if fail_on else gate.settings.fail_on)
    if output_format is CheckFormat.TEXT:
        # If no file could be read, all is said on standard error.
        if checked:
            print((statistics_text if statistics else check_text)(checked, result_terminal()))
    else:
        sys.stdout.buffer.write(_written(checked, unreadable, output_format, failing))
    return status if exit_zero else max(status, *(_status(result, failing) for result in checked), FINE)


def _default_state() -> str:
    from statefmt.edit.session import state_name

    return state_name(run_context(), None)


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


def _check_all(gate: Gate, names: list[str], everything: bool) -> tuple[list[CheckedState], list[UnreadableState]]:
    """Check every state once. States that cannot be found or read are reported, and the rest are checked."""
    found: dict[str, None] = {}
    unreadable: list[UnreadableState] = []
    for name in names:
        try:
            found.update(dict.fromkeys(find_states([name], everything=everything)))
        except StoreError as error:
            show_failure(error)
            unreadable.append(UnreadableState(name, str(error)))
    checked: list[CheckedState] = []
    with collector_paused():
        for result in gate.check_all(list(found)):
            if isinstance(result, CheckedState):
                checked.append(result)
            else:
                show_failure(StoreError(result.message))
                unreadable.append(result)
    return checked, unreadable


def _written(
    checked: list[CheckedState], unreadable: list[UnreadableState], output_format: CheckFormat, failing: Severity
) -> bytes:
    """Return the result in a machine-readable format; imports only the format asked for."""
    if output_format is CheckFormat.SARIF:
        from statefmt.render.check.sarif import check_sarif

        return check_sarif(checked, unreadable=unreadable)
    if output_format is CheckFormat.JUNIT:
        from statefmt.render.check.junit import check_junit

        return check_junit(checked, fail_on=failing, unreadable=unreadable)
    if output_format is CheckFormat.GITHUB:
        from statefmt.render.check.github import check_github

        commands = check_github(checked, unreadable=unreadable)
        return f"{commands}\n".encode() if commands else b""
    from statefmt.render.check.json import check_json

    return check_json(checked, unreadable)


def _write_baseline(path: Path, checked: list[CheckedState]) -> None:
    """Write the baseline. The file may be part of an untrusted repository, so symbolic links are not followed."""
    findings = {relative_path(result.name, path.parent): result.findings for result in checked}
    try:
        write_over(path, baseline_text(findings))
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; the baseline was not written") from error
    count = sum(len(found) for found in findings.values())
    say(f"{path}: {count} finding{'' if count == 1 else 's'} written")


def _codes(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def _status(result: CheckedState, failing: Severity) -> int:
    return FOUND if any(finding.severity.rank >= failing.rank for finding in result.findings) else FINE
