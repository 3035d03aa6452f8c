"""Collects everything that is wrong with a state, beyond what makes the reader stop."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from statefmt.edit.repairs._document import LooseDocument, path_of, pointer
from statefmt.formats.reading import CURRENT_VERSION, Inspection, inspect
from statefmt.formats.reading.resources import impossible_values
from statefmt.formats.versions import INVALID
from statefmt.formats.versions.structure import repeated_instances, upgrade_problems, wrong_types
from statefmt.formats.writing.changes import JsonPath, changed
from statefmt.lint.check import check
from statefmt.model.findings import Code, Finding

# The rules that find what a choice can mend, and that the reader does not apply.
RULES: Final = (
    Code.NO_LINEAGE,
    Code.SERIAL_ODD,
    Code.INSTANCE_KEYS_MIXED,
    Code.DUPLICATE_REMOTE_OBJECT,
    Code.INVALID_IDENTIFIER,
    Code.SENSITIVE_PATH_MISSING,
    Code.DEPENDENCY_DANGLING,
    Code.DAMAGED_VALUE,
)
# Members that are the same in all versions. They may be missing, and findings then have no pointer.
_TOP: Final[dict[str, str]] = {
    Code.INVALID_TERRAFORM_VERSION: "/terraform_version",
    Code.NO_LINEAGE: "/lineage",
    Code.SERIAL_ODD: "/serial",
}
# Parts that end here can be left out of a state of versions 1 to 3: /modules/0/resources/NAME, /modules/0/outputs/NAME.
_MODULE_PART: Final = 4
# States of this version have no lineage.
_WITHOUT_LINEAGE: Final = 1
# /resources/0
_BLOCK: Final = 2
_EMPTY_MODULE: Final = b'{"path":["root"]}'


def reported(data: bytes, version: int) -> Iterator[Finding]:
    """Yield all findings of the reader, and those of RULES.

    A part that the reader cannot read becomes null in a copy, which every part may be: then the rest of the copy can
    be read, and all pointers stay. What only follows from the null is left out.
    """
    unread: dict[JsonPath, bytes | None] = {}
    document, is_repeated = LooseDocument(data), False
    for wrong in wrong_types(data, version):
        unread[wrong.path] = b"null"
        is_repeated = is_repeated or document.repeated(wrong.path) is not None
        place = pointer(wrong.path)
        yield Code.INVALID_STRUCTURE.notice(INVALID, f"The member {place} is not valid: {wrong.reason}.", pointer=place)
    if is_repeated:
        # It is not known which of the members a path means.
        return
    for finding, replacement in _stops(_copy(data, unread), version):
        unread.update(replacement)
        yield finding
    copy = _copy(data, unread)
    inspection = inspect(copy)
    is_old = version != CURRENT_VERSION and inspection.document is not None
    repeated = repeated_instances(copy, version) if is_old else {}
    follows = _Following(unread)
    for finding in _found(inspection):
        if finding.code == Code.NO_LINEAGE and version == _WITHOUT_LINEAGE:
            continue
        located = _located(finding, repeated)
        if not follows.from_unread(located):
            yield located


def _copy(data: bytes, unread: dict[JsonPath, bytes | None]) -> bytes:
    return changed(data, unread) if unread else data


def _stops(data: bytes, version: int) -> Iterator[tuple[Finding, dict[JsonPath, bytes | None]]]:
    """Yield what makes the reader stop, with the change to a copy that keeps it from stopping there."""
    if version != CURRENT_VERSION:
        for finding in upgrade_problems(data, version):
            yield finding, _left_out(path_of(finding.pointer))
        return
    document = inspect(data).document
    for finding in () if document is None else impossible_values(document):
        yield finding, {path_of(finding.pointer): b"null"}


def _left_out(path: JsonPath) -> dict[JsonPath, bytes | None]:
    if path[:1] != ("modules",):
        return {path: b"null"}
    # A module with another path would hide another one, or be part of it.
    return {path[:_MODULE_PART]: None} if len(path) >= _MODULE_PART else {path[:2]: _EMPTY_MODULE}


def _found(inspection: Inspection) -> Iterator[Finding]:
    yield from inspection.findings
    yield from (finding for finding in check(inspection, select=RULES) if finding.code in RULES)


def _located(finding: Finding, repeated: Mapping[str, list[str]]) -> Finding:
    """Return a finding with the pointer that the reader leaves out: to a missing member, or for versions 1 to 3."""
    if finding.code in _TOP:
        return replace(finding, pointer=_TOP[finding.code])
    if finding.code == Code.INVALID_IDENTIFIER and finding.pointer.count("/") == _BLOCK:
        return replace(finding, pointer=f"{finding.pointer}/{finding.summary.rpartition(' ')[2]}")
    if finding.code == Code.DUPLICATE_INSTANCE and not finding.pointer:
        return replace(finding, pointer=repeated.get(finding.address, ("", ""))[1])
    return finding


class _Following:
    """What may be about a part that was not read."""

    def __init__(self, unread: Collection[JsonPath]) -> None:
        self._unread = frozenset(unread)
        self._above = frozenset(path[:length] for path in unread for length in range(1, len(path)))
        self._blocks = frozenset(path[:2] for path in unread if path[-1:] == ("provider",))

    def from_unread(self, finding: Finding) -> bool:
        """Return whether a finding may only follow from such a part."""
        path = path_of(finding.pointer)
        if path in self._above or any(path[:length] in self._unread for length in range(1, len(path) + 1)):
            return True
        return finding.code.startswith("PRV") and path[:2] in self._blocks
