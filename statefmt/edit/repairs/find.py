"""Finds the defects of a state that may not be loadable: its error findings, each with its choices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from statefmt.edit.repairs._instance_choices import (
    both_forms_choices,
    damaged_value_choices,
    deposed_key_choices,
    duplicate_instance_choices,
    invalid_key_choices,
    missing_path_choices,
    mixed_keys_choices,
    mode_choices,
    same_object,
    sensitive_paths_choices,
    shared_object_choices,
    spread_resource_choices,
    status_choices,
)
from statefmt.edit.repairs._loose_state import RESOURCES, LooseDocument, LooseState, path_of, pointer
from statefmt.edit.repairs._provider_choices import (
    invalid_provider_choices,
    missing_provider_choices,
    provider_blocks_choices,
    provider_conflict_choices,
    provider_keys_choices,
    provider_levels_choices,
)
from statefmt.edit.repairs.member_choices import (
    Choice,
    Defect,
    check_result_choices,
    dangling_dependency_choices,
    identifier_choices,
    invalid_dependency_choices,
    lineage_choices,
    module_address_choices,
    not_upgradable_choices,
    not_utf8_choices,
    output_choices,
    private_choices,
    release_choices,
    serial_choices,
    wrong_type_choices,
)
from statefmt.edit.session import LoadedState
from statefmt.formats.raw_json.positions import Position, finding_positions
from statefmt.formats.reading import CURRENT_VERSION, inspect
from statefmt.formats.reading.resources import impossible_values
from statefmt.formats.versions import INVALID
from statefmt.formats.versions.structure import repeated_instances, upgrade_problems, wrong_types
from statefmt.formats.writing.changes import JsonPath, changed
from statefmt.lint.check import check
from statefmt.model.findings import NO_STATE, Code, Finding, Severity

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences


_Offer = Callable[[LooseState, JsonPath, Finding], Iterable[Choice]]

# By code. Errors of other codes have no choice; warnings of other codes are not defects.
OFFERS: Final[dict[str, _Offer]] = {
    Code.INVALID_STRUCTURE: wrong_type_choices,
    Code.UPGRADE_FAILED: not_upgradable_choices,
    Code.INVALID_TERRAFORM_VERSION: release_choices,
    Code.NOT_UTF8: not_utf8_choices,
    Code.NO_LINEAGE: lineage_choices,
    Code.SERIAL_ODD: serial_choices,
    Code.PRIVATE_INVALID: private_choices,
    Code.PROVIDER_BOTH_LEVELS: provider_levels_choices,
    Code.PROVIDER_MISSING: missing_provider_choices,
    Code.PROVIDER_CONFIGURATIONS_DIFFER: provider_conflict_choices,
    Code.PROVIDER_ADDRESS_INVALID: invalid_provider_choices,
    Code.PROVIDER_KEYS_DIFFER: provider_keys_choices,
    Code.PROVIDER_BLOCKS_DIFFER: provider_blocks_choices,
    Code.MODULE_ADDRESS_INVALID: module_address_choices,
    Code.DUPLICATE_INSTANCE: duplicate_instance_choices,
    Code.INVALID_MODE: mode_choices,
    Code.INVALID_INSTANCE_KEY: invalid_key_choices,
    Code.INSTANCE_KEYS_MIXED: mixed_keys_choices,
    Code.DUPLICATE_REMOTE_OBJECT: shared_object_choices,
    Code.INVALID_IDENTIFIER: identifier_choices,
    Code.RESOURCE_SPREAD: spread_resource_choices,
    Code.INVALID_STATUS: status_choices,
    Code.INVALID_DEPOSED_KEY: deposed_key_choices,
    Code.INVALID_SENSITIVE_PATHS: sensitive_paths_choices,
    Code.SENSITIVE_PATH_MISSING: missing_path_choices,
    Code.BOTH_ATTRIBUTE_FORMS: both_forms_choices,
    Code.DAMAGED_VALUE: damaged_value_choices,
    Code.DEPENDENCY_ADDRESS_INVALID: invalid_dependency_choices,
    Code.DEPENDENCY_DANGLING: dangling_dependency_choices,
    Code.CHECK_ADDRESS_INVALID: check_result_choices,
    Code.INVALID_OUTPUT_TYPE: output_choices,
    Code.INVALID_OUTPUT_VALUE: output_choices,
}


def defects(
    data: bytes, references: ProviderReferences | None = None, *, show_sensitive: bool = False
) -> tuple[Defect, ...]:
    """Return the defects of a state in plain text, in file order as far as it is known.

    A problem of the whole file (not JSON, encrypted, an unsupported version) is the only defect, without choices.
    Choices also offer the providers of `references`, the configuration. `show_sensitive` shows secret ids in choices.
    """
    inspection = inspect(data)
    if inspection.version is None:
        return tuple(Defect(finding, ()) for finding in inspection.findings if finding.severity is Severity.ERROR)
    merged = [finding for finding in inspection.findings if finding.code == Code.DUPLICATE_MEMBER]
    if merged:
        # The findings are about the merged members, which are not a part of the text.
        return tuple(Defect(replace(finding, severity=Severity.WARNING), ()) for finding in merged)
    state = LooseState(data, references, show_sensitive=show_sensitive)
    found: dict[Hashable, Defect] = {}
    for finding in reported(data, inspection.version):
        if finding.severity is Severity.ERROR or finding.code in NO_STATE or finding.code in OFFERS:
            path = path_of(finding.pointer)
            which = _group(state, finding, path)
            if which not in found:
                found[which] = _with_choices(state, finding, path)
    return tuple(found.values())


def can_mend(finding: Finding) -> bool:
    """Return whether there may be choices for a finding."""
    return finding.code in OFFERS


def is_fatal(defect: Defect) -> bool:
    """Return whether the reader refuses a state with the defect."""
    return defect.finding.severity is Severity.ERROR and defect.finding.code not in RULES


def _group(state: LooseState, finding: Finding, path: JsonPath) -> Hashable:
    """Return the key that groups findings into one defect: the same choice repairs them."""
    if finding.code == Code.DUPLICATE_INSTANCE and path[:1] == (RESOURCES,):
        return finding.code, state.objects_like(path)[0].path
    if finding.code == Code.PROVIDER_BOTH_LEVELS:
        return finding.code, path[:2]
    if finding.code == Code.DUPLICATE_REMOTE_OBJECT and path:
        return finding.code, same_object(state, path)[0]
    if finding.code == Code.INVALID_IDENTIFIER and path:
        return finding.code, state.blocks(path)[0], finding.summary
    # An address may have several problems.
    return finding.code, finding.pointer, finding.pointer or finding.address or finding.detail


def _with_choices(state: LooseState, finding: Finding, path: JsonPath) -> Defect:
    severity = Severity.ERROR if finding.code in NO_STATE else finding.severity
    finding = replace(finding, severity=severity, address=finding.address or _address(state, path))
    offer = OFFERS.get(finding.code)
    # Other findings without a place are about the upgraded document of a state of versions 1 to 3.
    is_located = bool(finding.pointer) or finding.code == Code.NOT_UTF8
    return Defect(finding, path, tuple(offer(state, path, finding)) if offer is not None and is_located else ())


def _address(state: LooseState, path: JsonPath) -> str:
    """Return the address of the resource or output that a path leads into."""
    if len(path) >= 2 and path[0] == RESOURCES:
        return state.resource_address(path[:2])
    return f"output.{path[1]}" if len(path) >= 2 and path[0] == "outputs" else ""


# Rules outside the reader whose findings choices can repair.
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
    """Yield all findings of the reader and of RULES.

    In a copy, unreadable parts become null, which is valid everywhere: then the rest of the copy can be read, and all
    pointers stay. Findings that only follow from the null are left out.
    """
    unread: dict[JsonPath, bytes | None] = {}
    document, is_repeated = LooseDocument(data), False
    for wrong in wrong_types(data, version):
        unread[wrong.path] = b"null"
        is_repeated = is_repeated or document.repeated(wrong.path) is not None
        place = pointer(wrong.path)
        yield Code.INVALID_STRUCTURE.notice(INVALID, f"The member {place} is not valid: {wrong.reason}.", pointer=place)
    if is_repeated:
        # It is unknown which of the members a path means.
        return
    for finding, replacement in _stops(_copy(data, unread), version):
        unread.update(replacement)
        yield finding
    copy = _copy(data, unread)
    inspection = inspect(copy)
    is_old = version != CURRENT_VERSION and inspection.document is not None
    repeated = repeated_instances(copy, version) if is_old else {}
    follows = _Following(unread)
    by_rules = (finding for finding in check(inspection, select=RULES) if finding.code in RULES)
    for finding in (*inspection.findings, *by_rules):
        if finding.code == Code.NO_LINEAGE and version == _WITHOUT_LINEAGE:
            continue
        located = _located(finding, repeated)
        if not follows.from_unread(located):
            yield located


def _copy(data: bytes, unread: dict[JsonPath, bytes | None]) -> bytes:
    return changed(data, unread) if unread else data


def _stops(data: bytes, version: int) -> Iterator[tuple[Finding, dict[JsonPath, bytes | None]]]:
    """Yield the findings that stop the reader, each with a change to a copy that lets it continue."""
    if version != CURRENT_VERSION:
        for finding in upgrade_problems(data, version):
            path = path_of(finding.pointer)
            if path[:1] != ("modules",):
                yield finding, {path: b"null"}
            elif len(path) >= _MODULE_PART:
                yield finding, {path[:_MODULE_PART]: None}
            else:
                # A module with another path would hide another module, or become part of it.
                yield finding, {path[:2]: _EMPTY_MODULE}
        return
    document = inspect(data).document
    for finding in () if document is None else impossible_values(document):
        yield finding, {path_of(finding.pointer): b"null"}


def _located(finding: Finding, repeated: Mapping[str, list[str]]) -> Finding:
    """Add the pointer that the reader leaves out: to a missing member, or for versions 1 to 3."""
    if finding.code in _TOP:
        return replace(finding, pointer=_TOP[finding.code])
    if finding.code == Code.INVALID_IDENTIFIER and finding.pointer.count("/") == _BLOCK:
        return replace(finding, pointer=f"{finding.pointer}/{finding.summary.rpartition(' ')[2]}")
    if finding.code == Code.DUPLICATE_INSTANCE and not finding.pointer:
        return replace(finding, pointer=repeated.get(finding.address, ("", ""))[1])
    return finding


class _Following:
    """The unread parts, and the parts whose findings may only follow from them."""

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


@dataclass(frozen=True, slots=True)
class FoundDefects:
    """The defects of a state; `positions` maps the JSON pointers of their findings to positions in the plain file."""

    defects: tuple[Defect, ...]
    positions: Mapping[str, Position]

    def position(self, defect: Defect) -> Position | None:
        """Return the position of a defect; None if it is about the whole file."""
        pointer = defect.finding.pointer
        return self.positions.get(pointer) if pointer else None


def found_defects(
    state: LoadedState, references: ProviderReferences | None = None, *, show_sensitive: bool = False
) -> FoundDefects:
    """Return the defects of a state, like defects()."""
    found = defects(state.data, references, show_sensitive=show_sensitive)
    return FoundDefects(found, finding_positions(state.data, [defect.finding for defect in found]) if found else {})
