"""The options that select, compare and print findings, and the resulting exit status."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from typer import BadParameter, Option

from statefmt import Severity
from statefmt.cli.outcome import FAILED, FINE, FOUND
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say
from statefmt.render.check import check_concise, check_text, statistics_text
from statefmt.rules import (
    NO_STATE,
    CheckedState,
    Gate,
    Settings,
    UnreadableState,
    find_settings,
    load_settings,
    read_baseline,
    relative_path,
    selected_rules,
    write_baseline,
)


class CheckFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


class Verdict:
    """Checked states, and the exit status of the iterated states. Some formats iterate twice."""

    def __init__(self, states: Iterable[CheckedState], failing: Severity) -> None:
        self._states = states
        self._failing = failing
        # FOUND if a finding has at least this severity, and FAILED if a file is not a usable state.
        self.found = self.unusable = FINE

    def __iter__(self) -> Iterator[CheckedState]:
        for state in self._states:
            for finding in state.findings:
                if finding.severity.rank >= self._failing.rank:
                    self.found = FOUND
                if finding.code in NO_STATE:
                    self.unusable = FAILED
            yield state


def print_report(
    checked: Iterable[CheckedState],
    unreadable: Sequence[UnreadableState],
    output_format: CheckFormat,
    failing: Severity,
) -> None:
    """Print all findings, state by state; text formats omit unreadable files, which are on standard error.

    JUnit iterates over the states twice.
    """
    if output_format in (CheckFormat.TEXT, CheckFormat.CONCISE):
        lines = check_text if output_format is CheckFormat.TEXT else check_concise
        for line in lines(checked, result_terminal()):
            print(line)
        return
    # Imported late: most runs print text.
    from statefmt.render.check_reports import check_github, check_json, check_junit, check_sarif

    if output_format is CheckFormat.GITHUB:
        for line in check_github(checked, unreadable=unreadable):
            print(line)
        return
    if output_format is CheckFormat.SARIF:
        pieces = check_sarif(checked, unreadable=unreadable)
    elif output_format is CheckFormat.JUNIT:
        pieces = check_junit(checked, fail_on=failing, unreadable=unreadable)
    else:
        pieces = check_json(checked, unreadable)
    for piece in pieces:
        sys.stdout.buffer.write(piece)


_SETTINGS: Final = "Settings and baseline"


SelectOption = Annotated[
    str | None, Option(metavar="CODES", help="Run only these rules: codes or prefixes, with commas.")
]
IgnoreOption = Annotated[str | None, Option(metavar="CODES", help="Skip these rules; overrides --select.")]
BaselineOption = Annotated[
    Path | None,
    Option(metavar="FILE", help="Report only findings that are not in this baseline.", rich_help_panel=_SETTINGS),
]
SettingsOption = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Read settings from FILE; default: the nearest statetool.toml or pyproject.toml.",
        rich_help_panel=_SETTINGS,
    ),
]
NoSettingsOption = Annotated[bool, Option("--no-settings", help="Ignore settings files.", rich_help_panel=_SETTINGS)]


FailOnOption = Annotated[
    Severity | None, Option(metavar="SEVERITY", help="Fail on this or higher: error (the default), warning, info.")
]
CheckFormatOption = Annotated[
    CheckFormat, Option("--format", metavar="FORMAT", help="text (the default), concise, json, sarif, junit, github.")
]


class GateOptions(NamedTuple):
    """The selection of findings: the rules, the settings, and the baseline."""

    select: SelectOption = None
    ignore: IgnoreOption = None
    baseline: BaselineOption = None
    settings: SettingsOption = None
    no_settings: NoSettingsOption = False

    def gate(self, *, with_baseline: bool = True) -> Gate:
        """Return the gate of the options, with the baseline. Raises SettingsError."""
        found = None if self.no_settings else self.settings or find_settings(Path.cwd())
        settings = load_settings(found) if found else Settings()
        folder = found.parent if found else Path()
        chosen = _codes(self.select) or settings.select
        ignored = [*(_codes(self.ignore) or ()), *(settings.ignore if self.select is None else ())]
        try:
            selected_rules(None if chosen is None else tuple(chosen), tuple(ignored))
        except ValueError as error:
            raise BadParameter(str(error), param_hint="--select/--ignore") from error
        gate = Gate(run_context(), select=chosen, ignore=ignored, settings=settings, folder=folder)
        path = (self.baseline or settings.baseline_in(folder)) if with_baseline else None
        return replace(gate, baseline=read_baseline(path), baseline_folder=path.parent) if path else gate


class FindingOptions(NamedTuple):
    """The options for selecting and printing findings, and for failing on them."""

    select: SelectOption = None
    ignore: IgnoreOption = None
    fail_on: FailOnOption = None
    exit_zero: Annotated[bool, Option("--exit-zero", help="Exit with 0 even if there are findings.")] = False
    output_format: CheckFormatOption = CheckFormat.TEXT
    quiet: Annotated[bool, Option("--quiet", "-q", help="Print no findings, only set the exit status.")] = False
    statistics: Annotated[bool, Option("--statistics", help="Show the number of findings of each rule instead.")] = (
        False
    )
    baseline: BaselineOption = None
    write_baseline: Annotated[
        Path | None,
        Option(metavar="FILE", help="Write all findings to a baseline, and exit with 0.", rich_help_panel=_SETTINGS),
    ] = None
    settings: SettingsOption = None
    no_settings: NoSettingsOption = False

    @property
    def is_plain(self) -> bool:
        """Whether findings are printed as text, which is the default."""
        return not self.statistics and self.output_format is CheckFormat.TEXT

    def gate(self) -> Gate:
        """Return the gate of the options, with the baseline.

        Raises SettingsError, and BadParameter if the options contradict each other.
        """
        if self.quiet and not self.is_plain:
            raise BadParameter("cannot be combined with --statistics or --format", param_hint="--quiet")
        rules = GateOptions(self.select, self.ignore, self.baseline, self.settings, no_settings=self.no_settings)
        return rules.gate(with_baseline=self.write_baseline is None)

    def reported(
        self, gate: Gate, checked: Iterable[CheckedState], unreadable: Sequence[UnreadableState], status: int = FINE
    ) -> int:
        """Print the findings, or write them to a baseline; return the exit status, at least `status`.

        Keeps no states; some formats iterate over them twice.
        """
        failing = self.fail_on or Severity(gate.settings.fail_on)
        verdict = Verdict(checked, failing)
        if self.write_baseline is not None:
            path = self.write_baseline
            count = write_baseline(path, ((relative_path(one.name, path.parent), one.findings) for one in verdict))
            say(f"{path}: {count} finding{'' if count == 1 else 's'} written")
        elif self.statistics:
            if text := statistics_text(verdict, result_terminal()):
                print(text)
        elif not self.quiet:
            print_report(verdict, unreadable, self.output_format, failing)
        else:
            deque(verdict, maxlen=0)
        if unreadable or verdict.unusable:
            return FAILED
        return status if self.exit_zero or self.write_baseline is not None else max(status, verdict.found)


def _codes(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]
