"""What `check` found, as JUnit XML, for the test reports of GitLab, Jenkins and others.

A state is a test suite and a finding a test case: failed where the finding makes `check` fail, so that a report and the
exit status say the same, else passed with the finding as its output. A state without findings has one passed test case.
There are no times and no host, so that the same states give the same bytes.
Sources: `junit-10.xsd` of Jenkins's xUnit plugin; GitLab's "Unit test reports" (which takes `classname` for the name of
a suite, shows the text of a failure and not its `message`, and keeps only the first of the cases with the same name).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statefmt import codes
from statefmt.diagnostics import Finding, Severity
from statefmt.render.findings_text import message
from statefmt.render.fix_text import fix_text
from statefmt.render.printable import one_line, printable, printable_lines
from statefmt.rules.checked import CheckedState, UnreadableState


def check_junit(
    states: Sequence[CheckedState],
    *,
    fail_on: Severity = Severity.ERROR,
    unreadable: Sequence[UnreadableState] = (),
) -> bytes:
    """All findings; those of severity `fail_on` and above have failed. A file that could not be read is an error."""
    suites = [*(_suite(state, fail_on) for state in states), *map(_unreadable_suite, unreadable)]
    findings = [finding for state in states for finding in state.findings]
    tests = sum(max(1, len(state.findings)) for state in states) + len(unreadable)
    counts = _counts(findings, fail_on, len(unreadable))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="statetool check" tests="{tests}" {counts}>']
    return "\n".join([*lines, *suites, "</testsuites>\n"]).encode()


def _suite(state: CheckedState, fail_on: Severity) -> str:
    name = _escaped(printable(state.name))
    tests = max(1, len(state.findings))
    cases = (
        _cases(state, name, fail_on) if state.findings else [f'    <testcase name="no findings" classname="{name}"/>']
    )
    head = f'  <testsuite name="{name}" tests="{tests}" {_counts(state.findings, fail_on)}>'
    return "\n".join([head, *cases, "  </testsuite>"])


def _unreadable_suite(state: UnreadableState) -> str:
    name, message = _escaped(printable(state.name)), _escaped(one_line(state.message))
    return (
        f'  <testsuite name="{name}" tests="1" {_counts((), Severity.ERROR, 1)}>\n'
        f'    <testcase name="unreadable" classname="{name}">\n'
        f'      <error type="unreadable" message="The file could not be read">{message}</error>\n'
        "    </testcase>\n"
        "  </testsuite>"
    )


def _counts(findings: Sequence[Finding], fail_on: Severity, unreadable: int = 0) -> str:
    outcomes = [_outcome(finding, fail_on) for finding in findings]
    return f'failures="{outcomes.count("failure")}" errors="{outcomes.count("error") + unreadable}"'


def _outcome(finding: Finding, fail_on: Severity) -> str:
    """The element that a finding becomes. A file that could not be checked at all is an error, not a failure."""
    if finding.code in codes.NO_STATE:
        return "error"
    return "failure" if finding.severity.rank >= fail_on.rank else "system-out"


def _cases(state: CheckedState, suite: str, fail_on: Severity) -> Iterator[str]:
    seen: dict[str, int] = {}
    for finding in state.findings:
        name = " ".join(filter(None, (finding.code, printable(finding.address))))
        seen[name] = seen.get(name, 0) + 1
        number = f" ({seen[name]})" if seen[name] > 1 else ""
        outcome = _outcome(finding, fail_on)
        attributes = ""
        if outcome != "system-out":
            attributes = f' type="{finding.code}" message="{_escaped(one_line(finding.summary))}"'
        yield (
            f'    <testcase name="{_escaped(name + number)}" classname="{suite}">\n'
            f"      <{outcome}{attributes}>{_escaped(_text(finding, state))}</{outcome}>\n"
            f"    </testcase>"
        )


def _text(finding: Finding, state: CheckedState) -> str:
    file, position = state.place(finding)
    place = f"{printable(file)}:{position.line}:{position.column}" if position else printable(file)
    head = f"{place}: {finding.severity.value} {finding.code} {printable(finding.address)}".rstrip()
    return "\n".join(
        filter(
            None,
            (head, one_line(message(finding)), one_line(fix_text(finding.fix)), printable_lines(finding.fix.snippet)),
        )
    )


def _escaped(text: str) -> str:
    """Text for XML 1.0, which has no way at all to write most control characters: they were made visible before."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
