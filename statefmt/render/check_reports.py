"""Prints the findings of `check` for programs: as JSON, SARIF, JUnit XML and workflow commands of GitHub."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, quote_from_bytes
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from statefmt.formats.versions.structure import member_at
from statefmt.lint.baseline import fingerprint, numbered_fingerprints
from statefmt.lint.checked import CheckedState, Fixable, UnreadableState
from statefmt.lint.registry import Page, all_pages
from statefmt.model import findings as codes
from statefmt.model.findings import Finding, Severity
from statefmt.render.check import Tally, advice_text
from statefmt.render.findings import fix_text, message
from statefmt.render.json_output import FORMAT_VERSION, with_items
from statefmt.render.terminal import one_line, printable_lines
from statefmt.store.backends import RemoteLocation
from statefmt.store.reading import STANDARD_INPUT, display_name
from statefmt.text import pattern, printable
from statefmt.version import __version__


def check_json(states: Iterable[CheckedState], unreadable: Sequence[UnreadableState] = ()) -> Iterator[bytes]:
    """Yield the pieces of a document with all findings and unreadable files (schema: `check-output.schema.json`)."""
    tally = Tally()
    files = (
        {
            "path": state.name,
            "findings": [_finding(finding, state) for finding in state.findings],
            "hidden": state.hidden,
        }
        for state in tally.of(states)
    )

    def rest() -> dict[str, object]:
        return {
            "unreadable": [{"path": state.name, "message": state.message} for state in unreadable],
            "summary": {
                "files": tally.states,
                **{severity.value: tally.severities[severity] for severity in Severity},
                "hidden": tally.hidden,
                "fixable": tally.fixable[Fixable.SAFE],
                "fixable_unsafe": tally.fixable[Fixable.UNSAFE],
            },
        }

    return with_items({"format_version": FORMAT_VERSION, "files": []}, "files", files, rest)


def _finding(finding: Finding, state: CheckedState) -> dict[str, object]:
    file, position = state.place(finding)
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "summary": finding.summary,
        "detail": finding.detail,
        "address": finding.address,
        "pointer": finding.pointer,
        "member": ".".join(member_at(finding.pointer)),
        "fix": fix_text(finding.fix),
        "snippet": finding.fix.snippet,
        "fixable": state.way(finding),
        "file": file,
        "line": position.line if position else None,
        "column": position.column if position else None,
        "fingerprint": fingerprint(finding),
    }


_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
# GitHub's names of the severities.
_PROBLEM_SEVERITIES: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
# The base of relative paths; GitHub resolves this name to the root of the repository.
_ROOT: Final = "%SRCROOT%"
_FIRST_SECTION: Final = pattern(r"\A## [^\n]*\n(?P<text>.*?)(?=\n\s*\n|\n## |\Z)", re.DOTALL)


def check_sarif(
    states: Iterable[CheckedState], folder: Path | None = None, *, unreadable: Sequence[UnreadableState] = ()
) -> Iterator[bytes]:
    """Yield the pieces of a log with all findings and the pages of all rules.

    Paths are relative to `folder` (default: the working directory).

    If files could not be read, the invocation has failed, with a notification for each.
    """
    folder = folder or Path.cwd()
    pages = all_pages()
    numbers = {code: number for number, code in enumerate(pages)}
    driver = {"name": "statetool", "version": __version__, "rules": [_rule(page) for page in pages.values()]}
    run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": []}
    if unreadable:
        notifications = [
            {
                "level": "error",
                "message": {"text": printable(state.message)},
                "locations": [{"physicalLocation": {"artifactLocation": _artifact(state.name, folder)}}],
            }
            for state in unreadable
        ]
        run["invocations"] = [{"executionSuccessful": False, "toolExecutionNotifications": notifications}]
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    results = (
        _result(finding, mark, state, folder, numbers)
        for state in states
        for finding, mark in zip(state.findings, numbered_fingerprints(state.findings), strict=True)
    )
    return with_items(log, "results", results, depth=3)


def _rule(page: Page) -> dict[str, Any]:
    rule = page.rule
    section = _FIRST_SECTION.match(page.text)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": " ".join(section["text"].split()) if section else page.title},
        "help": {"text": page.text, "markdown": page.text},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"problem.severity": _PROBLEM_SEVERITIES[rule.severity], "tags": [rule.code[:3]]},
    }


def _artifact(name: str, folder: Path) -> dict[str, str]:
    uri = relative_uri(name, folder)
    return {"uri": absolute_uri(name, folder)} if uri is None else {"uri": uri, "uriBaseId": _ROOT}


def _result(
    finding: Finding, mark: str, state: CheckedState, folder: Path, numbers: Mapping[str, int]
) -> dict[str, Any]:
    file, position = state.place(finding)
    line, column = position or (1, 1)
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": _artifact(file, folder),
            "region": {"startLine": line, "startColumn": column},
        }
    }
    if finding.address:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.address}]
    text = "\n\n".join(filter(None, (message(finding), advice_text(state, finding), finding.fix.snippet)))
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [location],
        # GitHub combines the first with the rule and the path, and ignores all others; the second is for other tools.
        "partialFingerprints": {"primaryLocationLineHash": mark, "statetool/v1": mark},
    }
    if way := state.way(finding):
        # Not as `fixes`: a text replacement would bypass the lock, the backup and the serial.
        result["properties"] = {"fixable": way}
    if finding.code in numbers:
        result["ruleIndex"] = numbers[finding.code]
    return result


# Prints findings as JUnit XML, for the test reports of GitLab, Jenkins and others.
# A state is a test suite and a finding a test case: failed if the finding makes `check` fail, so that the report
# agrees with the exit status, else passed with the finding as its output. A state without findings has one passed
# test case. Omits times and host name, so that the same states give the same bytes.
# Sources: `junit-10.xsd` of Jenkins's xUnit plugin; GitLab's "Unit test reports" (which uses `classname` as the name
# of a suite, shows the text of a failure, not its `message`, and keeps only the first of several cases with the same
# name).


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


# Prints findings as workflow commands for GitHub Actions, which annotates the lines of a pull request.
# Source: GitHub, "Workflow commands"; escapes as in `actions/toolkit`, `packages/core/src/command.ts`.

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def check_github(
    states: Iterable[CheckedState], folder: Path | None = None, *, unreadable: Sequence[UnreadableState] = ()
) -> Iterator[str]:
    """Yield a command, which is one line, for each finding and each unreadable file.

    Paths are relative to `folder` (default: the working directory).
    """
    folder = folder or Path.cwd()
    for state in states:
        yield from _commands(state, folder)
    for missing in unreadable:
        path = _path(missing.name, folder)
        file = f"file={_escaped_property(printable(path))}," if path else ""
        yield f"::error {file}title=Unreadable state::{_escaped(one_line(missing.message))}"


def _path(name: str, folder: Path) -> str:
    no_file = name == display_name(STANDARD_INPUT) or isinstance(name, RemoteLocation)
    return "" if no_file else path_within(name, folder) or name


def _commands(state: CheckedState, folder: Path) -> Iterator[str]:
    for finding in state.findings:
        file, position = state.place(finding)
        path = _path(file, folder)
        properties: dict[str, object] = {}
        if path:
            properties["file"] = printable(path)
            if position:
                properties |= {"line": position.line, "col": position.column}
        properties["title"] = " ".join(filter(None, (finding.code, printable(finding.address))))
        listed = ",".join(f"{name}={_escaped_property(str(value))}" for name, value in properties.items())
        advice = one_line(advice_text(state, finding))
        text = "\n".join(filter(None, (one_line(message(finding)), advice, printable_lines(finding.fix.snippet))))
        yield f"::{_COMMANDS[finding.severity]} {listed}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


# Characters with a meaning in a URL, and the escape character.
_OF_URLS: Final = "/:?#[]@!$&'()*+,;=%"


def path_within(name: str, folder: Path) -> str | None:
    """Return a path relative to a folder, with forward slashes; None if it is outside the folder, or not a path."""
    if isinstance(name, RemoteLocation):
        return None
    path = Path(os.path.normpath(folder / name))
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else None


def relative_uri(name: str, folder: Path) -> str | None:
    """Return `path_within` as a percent-encoded URI reference."""
    path = path_within(name, folder)
    # Encode colons, too: in the first path segment, a colon would end a URI scheme.
    return None if path is None else quote_from_bytes(os.fsencode(path), safe="/")


def absolute_uri(name: str, folder: Path) -> str:
    """Return a path as a `file:` URI, and a URL unchanged."""
    if isinstance(name, RemoteLocation):
        return quote(name, safe=_OF_URLS)
    return Path(os.path.normpath(folder / name)).as_uri()
