"""Reads bytes and reports everything about them: findings, and a snapshot if there is no error.

The steps: bytes, sniff, that version's document, one-step upgrades, snapshot.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.formats.raw_json.raw import equals
from statefmt.formats.raw_json.syntax import utf8_problem
from statefmt.formats.reading._lift import lift_state
from statefmt.formats.reading._one_by_one import QuoteCount, read_one_by_one
from statefmt.formats.reading._sharing import SharingState
from statefmt.formats.reading._sniff import sniff_version, too_deep
from statefmt.formats.style import INDENTED, Style, style_of
from statefmt.formats.versions.decode import collector_paused, decode_document
from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.upgrade_report import UpgradeFailed, UpgradeReport
from statefmt.formats.versions.v4 import StateV4
from statefmt.model.codes import Code
from statefmt.model.errors import StateError
from statefmt.model.findings import Finding, Severity
from statefmt.model.snapshot import Snapshot, Source
from statefmt.text.pattern import pattern

# The format version that is written.
CURRENT_VERSION: Final = 4

# Returns the document itself if there is nothing to change.
DocumentEdit: TypeAlias = Callable[[StateV4], StateV4]

# The path in a msgspec message: `Expected `int`, got `str` - at `$.resources[0].type``.
_PATH = " - at `$"
_PATH_STEP = pattern(r"\.([^.\[\]]+)|\[(\d+)\]")


class Upgraded(Struct, frozen=True):
    """The document that a state of an older format becomes, before any edit, and the findings of the upgrade."""

    document: StateV4
    version: int
    findings: tuple[Finding, ...]


class Inspection(Struct, frozen=True, kw_only=True):
    """The full result of reading `data`.

    `snapshot` is None if there is an error among the findings; `version` is None if `data` is not a state of a
    readable version. `document` is the parsed v4 document, after upgrades, even if it cannot become a snapshot;
    `upgraded` is set for older formats. The types of these two are not public. `in_terraform` is the snapshot if only
    OpenTofu refuses the state: Terraform reads some provider addresses that OpenTofu does not.
    """

    data: bytes
    findings: tuple[Finding, ...] = ()
    snapshot: Snapshot | None = None
    version: int | None = None
    style: Style = INDENTED
    document: StateV4 | None = None
    upgraded: Upgraded | None = None
    in_terraform: Snapshot | None = None


class ReadResult(Struct, frozen=True):
    """A snapshot, and the findings from reading it (no errors).

    `upgraded`, whose type is not public, is set for older formats, so that nothing has to upgrade them again.
    """

    snapshot: Snapshot
    findings: tuple[Finding, ...]
    version: int
    style: Style
    upgraded: Upgraded | None = None


def inspect(data: bytes) -> Inspection:
    """Read bytes and report everything about them. Never raises on bad data."""
    with collector_paused():
        try:
            return _inspect(data)
        except StateError as error:
            return Inspection(data=data, findings=error.findings)


def read(
    data: bytes, edit: DocumentEdit | None = None, upgraded: Upgraded | None = None, *, as_terraform: bool = False
) -> ReadResult:
    """Read a snapshot from the bytes of a state, of any format version.

    `edit` changes the document that the snapshot is made of, after upgrades; `upgraded` is from an earlier result for
    the same bytes. With `as_terraform`, a state that only OpenTofu refuses is read, too, and what OpenTofu refuses is a
    warning. None of these is public. Raises StateError or a subclass (not a state, encrypted, unsupported version);
    its findings give every reason.
    """
    with collector_paused():
        lifted = read_one_by_one(data) if edit is None else None
        if lifted is not None and lifted.snapshot is not None:
            plain = replace(lifted.snapshot, source=Source(data, lifted.snapshot))
            return ReadResult(plain, (*_utf8_findings(data), *lifted.findings), CURRENT_VERSION, style_of(data))
        inspection = _inspect(data, edit, upgraded)
    snapshot, findings = inspection.snapshot, inspection.findings
    if snapshot is None and as_terraform and inspection.in_terraform is not None:
        snapshot = inspection.in_terraform
        errors = [finding for finding in findings if finding.severity is Severity.ERROR]
        findings = (
            *(dataclasses.replace(finding, severity=Severity.WARNING) for finding in errors),
            *(finding for finding in findings if finding.severity is not Severity.ERROR),
        )
    if snapshot is None or inspection.version is None:
        raise StateError(inspection.findings)
    return ReadResult(snapshot, findings, inspection.version, inspection.style, inspection.upgraded)


def without_repeated(data: bytes) -> bytes:
    """Return a state of version 4 with repeated members merged as Terraform and OpenTofu read them.

    Returns `data` itself if nothing is merged, or if it is not such a state.
    """
    if read_one_by_one(data) is not None:
        return data
    from statefmt.formats.reading._repeated import merged_members

    try:
        merged = merged_members(data, CURRENT_VERSION) if sniff_version(data) == CURRENT_VERSION else None
    except (StateError, InvalidDocument, msgspec.ValidationError, RecursionError):
        return data
    return merged.text if merged is not None and merged.findings else data


def _inspect(data: bytes, edit: DocumentEdit | None = None, upgraded: Upgraded | None = None) -> Inspection:
    report = UpgradeReport()
    edited = False
    repeated: tuple[Finding, ...] = ()
    if upgraded is None:
        document, version = _quick_v4(data), CURRENT_VERSION
    else:
        document, version = upgraded.document, upgraded.version
    # _quick_v4 fails on unknown members, and upgrades drop them, so the document has none.
    is_plain = document is not None
    try:
        if document is None:
            version = sniff_version(data)
            is_plain = version != CURRENT_VERSION
            # Imported late: nearly no state gets here.
            from statefmt.formats.reading._repeated import merged_members

            merged = merged_members(data, version)
            repeated = () if merged is None else merged.findings
            document = _document(data if merged is None else merged.text, version, report)
            if is_plain:
                upgraded = Upgraded(document, version, (*repeated, *report.findings))
                repeated = ()
        if edit is not None:
            given, document = document, edit(document)
            edited = document is not given
        lifted = lift_state(document, exact_keys=version != CURRENT_VERSION)
    except InvalidDocument as invalid:
        return _refused(version, data, document, invalid.finding())
    except UpgradeFailed as failed:
        return _refused(version, data, None, failed.finding(), *report.findings)
    except msgspec.ValidationError as error:
        return _refused(version, data, None, _validation(error))
    except RecursionError:
        raise too_deep() from None
    # What is merged has other bytes in the file.
    is_as_stored = version == CURRENT_VERSION and not edited and not repeated
    return Inspection(
        data=data,
        findings=(
            *_utf8_findings(data),
            *repeated,
            *(() if upgraded is None else upgraded.findings),
            *(() if is_plain else _unknown_findings(document)),
            *without_pointers(lifted.findings, version),
        ),
        snapshot=_with_source(data, lifted.snapshot) if is_as_stored else lifted.snapshot,
        version=version,
        style=style_of(data),
        document=document,
        upgraded=upgraded,
        in_terraform=_with_source(data, lifted.in_terraform) if is_as_stored else lifted.in_terraform,
    )


def _with_source(data: bytes, snapshot: Snapshot | None) -> Snapshot | None:
    return None if snapshot is None else replace(snapshot, source=Source(data, snapshot))


def _unknown_findings(document: StateV4) -> Iterable[Finding]:
    from statefmt.formats.reading._unknown import unknown_findings

    return unknown_findings(document)


def without_pointers(findings: Iterable[Finding], version: int | None) -> Iterable[Finding]:
    """Drop the pointers unless the file has version 4: they point into the v4 document."""
    if version == CURRENT_VERSION:
        return findings
    return [dataclasses.replace(finding, pointer="") for finding in findings]


def _quick_v4(data: bytes) -> StateV4 | None:
    """Decode an ordinary v4 state in one pass; return None if it needs a closer look: it may repeat a member."""
    try:
        document = msgspec.json.decode(data, type=SharingState)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    quotes = QuoteCount()
    for resource in document.resources or ():
        if resource is not None:
            quotes.add(resource)
    if not quotes.proves(data, document):
        return None
    return document if isinstance(document.version, Raw) and equals(document.version, b"4") else None


def _document(data: bytes, version: int, report: UpgradeReport) -> StateV4:
    """Return the v4 document of a state of any version, upgrading one version at a time."""
    if version == CURRENT_VERSION:
        return decode_document(data, StateV4)
    # Imported only if needed: few states are that old.
    from statefmt.formats.versions.legacy import StateV1
    from statefmt.formats.versions.legacy_v3 import StateV3
    from statefmt.formats.versions.upgrade_v1 import upgrade_v1
    from statefmt.formats.versions.upgrade_v2 import upgrade_v2
    from statefmt.formats.versions.upgrade_v3 import upgrade_v3

    state = upgrade_v1(decode_document(data, StateV1), report) if version == 1 else decode_document(data, StateV3)
    if version <= 2:
        state = upgrade_v2(state, report)
    return upgrade_v3(state, report)


def _utf8_findings(data: bytes) -> list[Finding]:
    problem = utf8_problem(data)
    if problem is None:
        return []
    detail = f"There is {problem}. OpenTofu replaces such bytes, which changes the state."
    return [Code.NOT_UTF8.notice("State is not UTF-8", detail, fix="Convert the file to UTF-8, or restore a backup.")]


def _refused(version: int, data: bytes, document: StateV4 | None, *findings: Finding) -> Inspection:
    return Inspection(data=data, findings=findings, version=version, style=style_of(data), document=document)


def _validation(error: msgspec.ValidationError) -> Finding:
    reason, _, path = str(error).partition(_PATH)
    path = path.removesuffix("`")
    reason = reason.replace("`", "")
    # msgspec writes [...] for a member of a map, without its name.
    pointer = "" if "..." in path else "".join(f"/{name or index}" for name, index in _PATH_STEP.findall(path))
    place = f" at {path.lstrip('.')}" if path and not pointer else ""
    return InvalidDocument(pointer, reason[:1].lower() + reason[1:] + place).finding()
