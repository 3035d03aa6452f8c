"""Prints findings as JUnit XML, for the test reports of GitLab, Jenkins and others.

A state is a test suite and a finding a test case: failed if the finding makes `check` fail, so that the report agrees
with the exit status, else passed with the finding as its output. A state without findings has one passed test case.
There are no times and no host name, so that the same states give the same bytes.
Sources: `junit-10.xsd` of Jenkins's xUnit plugin; GitLab's "Unit test reports" (which uses `classname` as the name of a
suite, shows the text of a failure, not its `message`, and keeps only the first of several cases with the same name).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from statefmt.lint.checked import CheckedState, UnreadableState
from statefmt.model import findings as codes
from statefmt.model.findings import Finding, Severity
from statefmt.render.check.advice import advice_text
from statefmt.render.findings import message
from statefmt.render.printable import one_line, printable, printable_lines


def check_junit(
    states: Iterable[CheckedState], *, fail_on: Severity = Severity.ERROR, unreadable: Sequence[UnreadableState] = ()
) -> Iterator[bytes]:
    """Yield the pieces of a report; findings of severity `fail_on` and above are failures, unreadable files are errors.

    Iterates over the states twice: the report begins with their number.
    """
    tests, outcomes = len(unreadable), Counter({"error": len(unreadable)})
    for state in states:
        tests += max(1, len(state.findings))
        outcomes.update(_outcome(finding, fail_on) for finding in state.findings)
    root = Element("testsuites", name="statetool check", tests=str(tests))
    root.attrib |= _counts(outcomes)
    # ElementTree would write the declaration with single quotes and in lower case.
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n'
    opening = _printed(root).removesuffix(b" />")
    is_empty = True
    for suite in chain((_suite(state, fail_on) for state in states), map(_unreadable_suite, unreadable)):
        indent(suite, level=1)
        yield (opening + b">" if is_empty else b"") + b"\n  " + _printed(suite)
        is_empty = False
    yield opening + b" />\n" if is_empty else b"\n</testsuites>\n"


def _printed(element: Element) -> bytes:
    text: bytes = tostring(element, encoding="utf-8")
    return text


def _suite(state: CheckedState, fail_on: Severity) -> Element:
    name = printable(state.name)
    suite = Element("testsuite", name=name, tests=str(max(1, len(state.findings))))
    suite.attrib |= _counts(Counter(_outcome(finding, fail_on) for finding in state.findings))
    if not state.findings:
        SubElement(suite, "testcase", name="no findings", classname=name)
    seen: dict[str, int] = {}
    for finding in state.findings:
        title = " ".join(filter(None, (finding.code, printable(finding.address))))
        seen[title] = seen.get(title, 0) + 1
        number = f" ({seen[title]})" if seen[title] > 1 else ""
        case = SubElement(suite, "testcase", name=title + number, classname=name)
        outcome = SubElement(case, _outcome(finding, fail_on))
        if outcome.tag != "system-out":
            outcome.attrib |= {"type": finding.code, "message": one_line(finding.summary)}
        outcome.text = _text(finding, state)
    return suite


def _unreadable_suite(state: UnreadableState) -> Element:
    name = printable(state.name)
    suite = Element("testsuite", name=name, tests="1")
    suite.attrib |= _counts({"error": 1})
    case = SubElement(suite, "testcase", name="unreadable", classname=name)
    SubElement(case, "error", type="unreadable", message="The file could not be read").text = one_line(state.message)
    return suite


def _counts(outcomes: Mapping[str, int]) -> dict[str, str]:
    return {"failures": str(outcomes.get("failure", 0)), "errors": str(outcomes.get("error", 0))}


def _outcome(finding: Finding, fail_on: Severity) -> str:
    """Return the element for a finding. A file that could not be checked at all is an error, not a failure."""
    if finding.code in codes.NO_STATE:
        return "error"
    return "failure" if finding.severity.rank >= fail_on.rank else "system-out"


def _text(finding: Finding, state: CheckedState) -> str:
    file, position = state.place(finding)
    place = f"{printable(file)}:{position.line}:{position.column}" if position else printable(file)
    head = f"{place}: {finding.severity.value} {finding.code} {printable(finding.address)}".rstrip()
    advice = one_line(advice_text(state, finding))
    return "\n".join(filter(None, (head, one_line(message(finding)), advice, printable_lines(finding.fix.snippet))))
