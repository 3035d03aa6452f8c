"""Reads bytes into a snapshot and reports findings: `inspect()` all of them, `read()` unless there are errors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from contextlib import suppress
from sys import intern
from threading import local
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Raw, Struct
from msgspec.structs import replace

from statefmt.formats import INDENTED, Style, style_of
from statefmt.formats.raw_json import equals, members_at, starts_with, utf8_problem
from statefmt.formats.reading._members import lift_checks, lift_outputs, normalised
from statefmt.formats.reading.resources import ResourceLifter, SeveralBlocks
from statefmt.formats.versions import (
    InstanceObjectV4,
    InvalidDocument,
    ResourceV4,
    StateV4,
    UpgradeFailed,
    UpgradeReport,
    check_uint64,
    collector_paused,
    decode_document,
    object_members,
)
from statefmt.golang import Members, fold_name, loads_exact
from statefmt.model.errors import EncryptedStateError, NotAStateError, StateError, UnsupportedStateError
from statefmt.model.findings import Code, Finding, Severity
from statefmt.model.snapshot import Snapshot, Source, normalise_version
from statefmt.text import pattern

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

    `edit` changes the document from which the snapshot is made, after upgrades; `upgraded` is from an earlier result
    for the same bytes. With `as_terraform`, a state that only OpenTofu refuses is read, too, with warnings for the
    refused parts. None of these is public. Raises StateError or a subclass (not a state, encrypted, unsupported
    version); its findings give every reason.
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

    Returns `data` itself if it has no repeated members, or is not such a state.
    """
    if read_one_by_one(data) is not None:
        return data
    from statefmt.formats.reading.repeated import merged_members

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
            # Imported late: hardly any state needs it.
            from statefmt.formats.reading.repeated import merged_members

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
    unknown: Iterable[Finding] = ()
    if not is_plain:
        from statefmt.formats.reading.repeated import unknown_findings

        unknown = unknown_findings(document)
    # Merged members have other bytes in the file.
    is_as_stored = version == CURRENT_VERSION and not edited and not repeated
    return Inspection(
        data=data,
        findings=(
            *_utf8_findings(data),
            *repeated,
            *(() if upgraded is None else upgraded.findings),
            *unknown,
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


def without_pointers(findings: Iterable[Finding], version: int | None) -> Iterable[Finding]:
    """Drop the pointers unless the file has version 4: they point into the v4 document."""
    if version == CURRENT_VERSION:
        return findings
    return [dataclasses.replace(finding, pointer="") for finding in findings]


def _quick_v4(data: bytes) -> StateV4 | None:
    """Decode an ordinary v4 state in one pass; return None if the state may repeat a member."""
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
    if version == CURRENT_VERSION:
        return decode_document(data, StateV4)
    # Imported only if needed: few states are that old.
    from statefmt.formats.versions.before_v3 import StateV1, upgrade_v1, upgrade_v2
    from statefmt.formats.versions.v3 import StateV3, upgrade_v3

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


# Bytes to encode before counting their quotes: few enough for the processor's cache.
_COUNTED_AT_ONCE: Final = 1 << 17


class QuoteCount:
    """A fast proof, by counting quotes in C, that decoding dropped no member.

    Encodes the decoded document again, without the nulls of the format, and compares the number of quotes with the
    text. A document with such nulls is not proven.
    """

    def __init__(self) -> None:
        self._encode_into = msgspec.json.Encoder().encode_into
        self._buffer = bytearray()
        self._quotes = 0

    def add(self, resource: Struct) -> None:
        """Count the quotes of a decoded resource."""
        self._encode_into(resource, self._buffer, -1)
        if len(self._buffer) > _COUNTED_AT_ONCE:
            self._count()

    def proves(self, data: bytes, document: StateV4) -> bool:
        """Return whether a document, with the added resources, certainly contains all of the text."""
        self.add(replace(document, resources=None if document.resources is None else []))
        self._count()
        # The escape of a quote becomes a quote, which could compensate for a dropped one.
        return self._quotes == data.count(b'"') and not (b"\\" in data and b"\\u0022" in data)

    def _count(self) -> None:
        self._quotes += self._buffer.count(b'"')
        self._buffer.clear()


class _Reading(local):
    """The lifter and the proof of this thread. Decoded objects have no other way to reach them."""

    lifter: ResourceLifter
    quotes: QuoteCount


_READING = _Reading()


class _Resource(ResourceV4):
    """A block that is converted as soon as msgspec has decoded it, and then discards its contents."""

    def __post_init__(self) -> None:
        _READING.quotes.add(self)
        _READING.lifter.add(self)
        self.module = self.mode = self.type = self.name = self.provider = self.instances = None


class _State(StateV4):
    resources: list[_Resource] | None = None  # type: ignore[assignment]


def read_one_by_one(data: bytes) -> LiftedState | None:
    """Return the result of lift_state() for a v4 state, block by block; None if it needs the whole document.

    That is also the case unless it certainly repeats no member.
    """
    lifter, quotes = _READING.lifter, _READING.quotes = ResourceLifter(), QuoteCount()
    try:
        state = msgspec.json.decode(data, type=_State)
        is_whole = lifter.added == len(state.resources or ())
        if not is_whole or not quotes.proves(data, state):
            return None
        state.resources = None
        if isinstance(state.version, Raw) and equals(state.version, b"4"):
            return lift_state(state, lifter)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InvalidDocument, SeveralBlocks):
        pass
    finally:
        del _READING.lifter, _READING.quotes
    return None


class LiftedState(NamedTuple):
    """A snapshot (None if there is an error among the findings), and the findings.

    `in_terraform` is the snapshot if OpenTofu refuses the state and Terraform reads it.
    """

    snapshot: Snapshot | None
    findings: tuple[Finding, ...]
    in_terraform: Snapshot | None = None


def lift_state(document: StateV4, lifter: ResourceLifter | None = None, *, exact_keys: bool = False) -> LiftedState:
    """Convert a document; `exact_keys` means that its numeric keys come from an upgrade, not from JSON.

    If `lifter` is given, it has converted the resources already. Raises InvalidDocument if a member has an impossible
    value; nothing else in the file counts then. Raises SeveralBlocks only with `lifter`.
    """
    serial = check_uint64(document.serial, "/serial")
    findings: list[Finding] = []
    version = _terraform_version(document.terraform_version or "", findings)
    resources = lifter or ResourceLifter(exact_keys=exact_keys)
    snapshot = Snapshot(
        terraform_version=version,
        serial=serial,
        lineage=document.lineage or "",
        resources=resources.lift(document.resources or ()) if lifter is None else lifter.found(),
        outputs=lift_outputs(document.outputs or {}, findings),
        check_results=lift_checks(document.check_results or (), findings),
        unknown=document.unknown,
    )
    findings += resources.findings
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    is_read_by_terraform = 0 < errors == len(resources.refused_by_opentofu)
    return LiftedState(None if errors else snapshot, tuple(findings), snapshot if is_read_by_terraform else None)


def _terraform_version(text: str, findings: list[Finding]) -> str:
    if not text:
        return ""
    version = normalise_version(text)
    if version is None:
        findings.append(Code.INVALID_TERRAFORM_VERSION.notice(
            "Invalid OpenTofu version string",
            f"The state was written by release {text!r}, which is not a valid version.",
            pointer="/terraform_version", fix='Set "terraform_version" to the release that wrote the state.',
        ))  # fmt: skip
        return ""
    if version != text:
        findings.append(normalised(f"terraform_version {text!r}", version, "", "/terraform_version"))
    return version


_NO_PATHS: Final = Raw(b"[]")


class SharingResource(ResourceV4):
    """A block that shares the strings of earlier blocks: otherwise they may take as much memory as the file."""

    def __post_init__(self) -> None:
        self.module, self.mode, self.type = _shared(self.module), _shared(self.mode), _shared(self.type)
        self.name, self.provider = _shared(self.name), _shared(self.provider)
        for obj in self.instances or ():
            if obj is not None:
                _share(obj)


class SharingState(StateV4):
    """A document of such blocks."""

    resources: list[SharingResource | None] | None = None  # type: ignore[assignment]


def _share(obj: InstanceObjectV4) -> None:
    if isinstance(obj.private, str):
        obj.private = intern(obj.private)
    if obj.sensitive_attributes is not UNSET and equals(obj.sensitive_attributes, b"[]"):
        obj.sensitive_attributes = _NO_PATHS
    # A null among the dependencies, which is invalid, is a TypeError.
    with suppress(TypeError):
        if obj.dependencies:
            obj.dependencies = list(map(intern, obj.dependencies))  # type: ignore[arg-type]


def _shared(text: str | None) -> str | None:
    return None if text is None else intern(text)


UNSUPPORTED: Final = "Unsupported state file format"
SUPPORTED_VERSIONS: Final = (1, 2, 3, 4)
# Terraform before 0.7 wrote a Go-specific binary that starts with this word.
_VERSION_0_MAGIC: Final = b"tfstate"
_NOT_AN_OBJECT: Final = 'The file contains JSON, but not an object; a state is an object with a member "version".'
_WHOLE_NUMBER = pattern(rb"0|[1-9][0-9]*")
_UINT64_MAX: Final = 2**64 - 1
_NULL: Final = b"null"


def sniff_version(data: bytes) -> int:
    """Return the format version of a readable state: 1 to 4.

    Raises NotAStateError, EncryptedStateError or UnsupportedStateError, with a finding that gives the reason.
    """
    if not data:
        raise NotAStateError([Code.NOT_A_STATE.notice("no state", "The file is empty.")])
    if data.startswith(_VERSION_0_MAGIC):
        detail = (
            "The file is in the binary format that Terraform wrote before version 0.7. "
            "Upgrade it with Terraform 0.6.16 or older first."
        )
        raise UnsupportedStateError([Code.UNSUPPORTED_VERSION.notice(UNSUPPORTED, detail)])
    members = _top_level(data)
    # Go decodes each occurrence, and the last one counts.
    texts = [data[start:end] for name, start, end in members_at(data) if fold_name(name) == "version"]
    if not texts or texts[-1] == _NULL:
        raise _without_version(data, members)
    given = (text for text in texts if text != _NULL)
    wrong = next((one for one in given if not _WHOLE_NUMBER.fullmatch(one) or int(one[:21]) > _UINT64_MAX), None)
    if wrong is not None:
        from statefmt.formats.reading.damaged import description

        problem = f'The member "version" is {_shown(wrong)}. A positive whole number is required.'
        found = description(data) or problem
        raise NotAStateError([Code.NOT_A_STATE.notice(UNSUPPORTED, found, pointer="/version")])
    number = int(texts[-1])
    if number not in SUPPORTED_VERSIONS:
        detail = _unsupported_detail(number, members)
        raise UnsupportedStateError([Code.UNSUPPORTED_VERSION.notice(UNSUPPORTED, detail)])
    return number


def _top_level(data: bytes) -> dict[str, Raw]:
    try:
        try:
            return msgspec.json.decode(data, type=dict[str, Raw])
        except msgspec.ValidationError:
            # The parser stops after the first value: a log line may begin with a number.
            with suppress(RecursionError):
                msgspec.json.decode(data, type=Raw)
            detail = _not_an_object(data)
    except RecursionError:
        raise too_deep() from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        try:
            # Unlike OpenTofu, msgspec rejects half a surrogate pair, and bytes that are not UTF-8.
            if isinstance(loads_exact(data, replace_invalid=True), Members):
                return object_members(data)
            detail = _not_an_object(data)
        except ValueError:
            # Imported late: most files are states.
            from statefmt.formats.reading.damaged import not_json

            detail = not_json(data, error)
    raise NotAStateError([Code.NOT_A_STATE.notice(UNSUPPORTED, detail)])


def _not_an_object(data: bytes) -> str:
    from statefmt.formats.reading.damaged import description

    return description(data) or _NOT_AN_OBJECT


def too_deep() -> NotAStateError:
    """Return the error for a file that nests deeper than Python's recursion limit, about a thousand levels."""
    detail = "The file is nested too deeply to be a state."
    return NotAStateError([Code.NOT_A_STATE.notice(UNSUPPORTED, detail)])


def _member(members: dict[str, Raw], name: str) -> Raw | None:
    """Return the last member with that name, as Go matches it; None if it is missing or null."""
    found = next((members[given] for given in reversed(members) if fold_name(given) == name), None)
    return None if found is None or starts_with(found, b"null") else found


def _without_version(data: bytes, members: dict[str, Raw]) -> NotAStateError | EncryptedStateError:
    encryption = _member(members, "encryption_version")
    if encryption is not None and starts_with(encryption, b'"') and not equals(encryption, b'""'):
        return EncryptedStateError([Code.ENCRYPTED.notice(UNSUPPORTED, _encrypted_detail(members))])
    detail = 'The file has no member "version", which every state has.'
    from statefmt.formats.reading.damaged import description

    detail = description(data) or detail
    if "format_version" in members:
        detail += " It looks like the JSON output of `tofu show`; pass the state file itself."
    return NotAStateError([Code.NOT_A_STATE.notice(UNSUPPORTED, detail)])


def _encrypted_detail(members: dict[str, Raw]) -> str:
    """Describe the clear text of an envelope: serial, lineage, key providers."""
    known = []
    for name in ("serial", "lineage"):
        value = _member(members, name)
        if value is not None:
            known.append(f"{name} {_shown(bytes(value))}")
    meta = _member(members, "meta")
    try:
        providers = sorted(object_members(meta)) if meta is not None else []
    except msgspec.ValidationError:
        providers = []
    known.append(f"key providers: {', '.join(providers)}" if providers else "no key provider named")
    return (
        f"This state is encrypted ({'; '.join(known)}). It cannot be read without its encryption "
        "configuration; give it with --encryption FILE, TF_ENCRYPTION or --encryption-config DIR."
    )


def _unsupported_detail(number: int, members: dict[str, Raw]) -> str:
    if number == 0:
        return 'The member "version" is 0. There never was a JSON state format 0, so this is not a valid state.'
    detail = f"The state has format version {number}; versions 1 to 4 can be read."
    creator = _member(members, "terraform_version")
    if creator is not None:
        detail += f" It was written by release {_shown(bytes(creator))}."
    return detail + " A newer statetool may read it."


def _shown(text: bytes) -> str:
    shown = text.decode("utf-8", "replace")
    return shown if len(shown) <= 60 else shown[:57] + "..."
