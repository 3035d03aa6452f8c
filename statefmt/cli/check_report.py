"""Prints the results of `check` in the format asked for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum

from statefmt import Severity
from statefmt.cli.streams import result_terminal
from statefmt.rules import CheckedState, UnreadableState


class CheckFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


def print_statistics(checked: Sequence[CheckedState]) -> None:
    """Print the number of findings of each rule."""
    from statefmt.render.check.text import statistics_text

    if checked:
        print(statistics_text(checked, result_terminal()))


def print_report(
    checked: Sequence[CheckedState],
    unreadable: Sequence[UnreadableState],
    output_format: CheckFormat,
    failing: Severity,
) -> None:
    """Print all findings; formats for people leave out unreadable files, which are on standard error."""
    if output_format is CheckFormat.TEXT:
        from statefmt.render.check.text import check_text

        if checked:
            print(check_text(checked, result_terminal()))
    elif output_format is CheckFormat.CONCISE:
        from statefmt.render.check.concise import check_concise

        lines = check_concise(checked, result_terminal())
        if lines:
            print(lines)
    else:
        sys.stdout.buffer.write(_for_programs(checked, unreadable, output_format, failing))


def _for_programs(
    checked: Sequence[CheckedState],
    unreadable: Sequence[UnreadableState],
    output_format: CheckFormat,
    failing: Severity,
) -> bytes:
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
