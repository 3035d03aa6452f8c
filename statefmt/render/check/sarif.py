"""Prints findings as SARIF 2.1.0 (OASIS), for code scanning and other viewers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from statefmt.lint.baseline import numbered_fingerprints
from statefmt.lint.checked import CheckedState, UnreadableState
from statefmt.lint.registry import Page, all_pages
from statefmt.model.findings import Finding, Severity
from statefmt.render.check.advice import advice_text
from statefmt.render.file_path import absolute_uri, relative_uri
from statefmt.render.findings import message
from statefmt.render.json_output import with_items
from statefmt.render.printable import printable
from statefmt.text import pattern
from statefmt.version import __version__

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
# GitHub's names for them.
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
        notifications = [_notification(state, folder) for state in unreadable]
        run["invocations"] = [{"executionSuccessful": False, "toolExecutionNotifications": notifications}]
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    results = (result for state in states for result in _results(state, folder, numbers))
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


def _results(state: CheckedState, folder: Path, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    return [
        _result(finding, mark, state, folder, numbers)
        for finding, mark in zip(state.findings, numbered_fingerprints(state.findings), strict=True)
    ]


def _notification(state: UnreadableState, folder: Path) -> dict[str, Any]:
    location = {"physicalLocation": {"artifactLocation": _artifact(state.name, folder)}}
    return {"level": "error", "message": {"text": printable(state.message)}, "locations": [location]}


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
        # Not as `fixes`: replaced text would leave out the lock, the backup and the serial.
        result["properties"] = {"fixable": way}
    if finding.code in numbers:
        result["ruleIndex"] = numbers[finding.code]
    return result
