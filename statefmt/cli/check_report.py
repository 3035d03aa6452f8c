"""Prints the findings of `check` in the format asked for, and says whether they make it fail."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from statefmt import Severity
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.streams import result_terminal
from statefmt.rules import NO_STATE, CheckedState, UnreadableState


class CheckFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


class Verdict:
    """States, and the exit status that follows from those that were asked for. Some formats ask twice."""

    def __init__(self, states: Iterable[CheckedState], failing: Severity) -> None:
        self._states = states
        self._failing = failing
        # FOUND if a finding is of this severity or higher, and FAILED if a file is not a usable state.
        self.found = self.unusable = FINE

    def __iter__(self) -> Iterator[CheckedState]:
        for state in self._states:
            for finding in state.findings:
                if finding.severity.rank >= self._failing.rank:
                    self.found = FOUND
                if finding.code in NO_STATE:
                    self.unusable = FAILED
            yield state


def print_statistics(checked: Iterable[CheckedState]) -> None:
    """Print the number of findings of each rule."""
    from statefmt.render.check import statistics_text

    text = statistics_text(checked, result_terminal())
    if text:
        print(text)


def print_report(
    checked: Iterable[CheckedState],
    unreadable: Sequence[UnreadableState],
    output_format: CheckFormat,
    failing: Severity,
) -> None:
    """Print all findings, state by state; formats for people leave out unreadable files, which are on standard error.

    JUnit iterates over the states twice.
    """
    if output_format is CheckFormat.TEXT:
        from statefmt.render.check import check_text

        _print_lines(check_text(checked, result_terminal()))
    elif output_format is CheckFormat.CONCISE:
        from statefmt.render.check import check_concise

        _print_lines(check_concise(checked, result_terminal()))
    elif output_format is CheckFormat.GITHUB:
        from statefmt.render.check_reports import check_github

        _print_lines(check_github(checked, unreadable=unreadable))
    else:
        for piece in _for_programs(checked, unreadable, output_format, failing):
            sys.stdout.buffer.write(piece)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _for_programs(
    checked: Iterable[CheckedState],
    unreadable: Sequence[UnreadableState],
    output_format: CheckFormat,
    failing: Severity,
) -> Iterator[bytes]:
    if output_format is CheckFormat.SARIF:
        from statefmt.render.check_reports import check_sarif

        return check_sarif(checked, unreadable=unreadable)
    if output_format is CheckFormat.JUNIT:
        from statefmt.render.check_reports import check_junit

        return check_junit(checked, fail_on=failing, unreadable=unreadable)
    from statefmt.render.check_reports import check_json

    return check_json(checked, unreadable)
