"""`statetool check`: run the rules, and gate on what they find."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Optional

import typer

from statefmt import codes
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.failure import show_failure
from statefmt.cli.options import FormatOption, OutputFormat, StateOption, StatesArgument
from statefmt.diagnostics import Finding, Severity
from statefmt.errors import StatetoolError
from statefmt.render.check import check_json, check_text
from statefmt.render.terminal import terminal_for
from statefmt.rules.check import check, selected_rules
from statefmt.session import display_name, state_name
from statefmt.store.reading import read_bytes


class FailOn(StrEnum):
    """The severity from which findings make the command fail."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


def command(
    ctx: typer.Context,
    states: StatesArgument = None,
    state: StateOption = None,
    select: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(metavar="CODES", help="Run only these rules: codes or their beginnings, with commas between."),
    ] = None,
    ignore: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="CODES", help="Leave these rules out; wins over --select."),
    ] = None,
    fail_on: Annotated[
        FailOn, typer.Option(show_default=False, help="Fail from this severity on; default: error.")
    ] = FailOn.ERROR,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Run the rules over states.

    Exit status 0: nothing at or above the failing severity; 1: something was found; 2: a file is no state.
    """
    try:
        selected_rules(_codes(select), _codes(ignore))
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--select/--ignore") from error
    names = [*(states or ()), *([state] if state else ())] or [state_name(None)]
    status = FINE
    found: dict[str, list[Finding]] = {}
    for name in names:
        try:
            findings = check(read_bytes(name), select=_codes(select), ignore=_codes(ignore))
        except StatetoolError as error:
            show_failure(error)
            status = FAILED
            continue
        found[display_name(name)] = findings
        status = max(status, _status(findings, Severity(fail_on.value)))
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(check_json(found))
    else:
        print(check_text(found, terminal_for(sys.stdout, ctx.obj or "auto")))
    return status


def _codes(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def _status(findings: list[Finding], failing: Severity) -> int:
    if any(finding.code in codes.NO_STATE for finding in findings):
        return FAILED
    return FOUND if any(finding.severity.rank >= failing.rank for finding in findings) else FINE
