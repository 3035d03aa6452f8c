"""Finds what is wrong with a state that may not be loadable, with the choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from statefmt.edit.repairs.defect import Choice, Defect
from statefmt.edit.repairs.document import RESOURCES, LooseDocument, path_of, pointer
from statefmt.edit.repairs.offers import addresses, duplicates, instances, legacy, outputs, providers, structure
from statefmt.formats.reading.inspect import CURRENT_VERSION, inspect
from statefmt.formats.versions.invalid import INVALID
from statefmt.formats.versions.structure import wrong_types
from statefmt.formats.writing.changes import Path, changed
from statefmt.model.codes import NO_STATE, Code
from statefmt.model.findings import Finding, Severity

_Offer = Callable[[LooseDocument, Path, Finding], Iterable[Choice]]

# By code. Errors of other codes have no choice; warnings of other codes are not defects.
_OFFERS: Final[dict[str, _Offer]] = {
    Code.INVALID_STRUCTURE: structure.wrong_type,
    Code.UPGRADE_FAILED: legacy.not_upgradable,
    Code.INVALID_TERRAFORM_VERSION: structure.release,
    Code.PRIVATE_INVALID: structure.private,
    Code.PROVIDER_BOTH_LEVELS: providers.both_levels,
    Code.PROVIDER_MISSING: providers.missing,
    Code.PROVIDER_CONFIGURATIONS_DIFFER: providers.conflict,
    Code.PROVIDER_ADDRESS_INVALID: providers.invalid,
    Code.PROVIDER_KEYS_DIFFER: providers.spread_keys,
    Code.PROVIDER_BLOCKS_DIFFER: providers.conflict,
    Code.MODULE_ADDRESS_INVALID: addresses.module,
    Code.DUPLICATE_INSTANCE: duplicates.duplicate,
    Code.INVALID_MODE: instances.mode,
    Code.INVALID_INSTANCE_KEY: instances.instance_key,
    Code.RESOURCE_SPREAD: providers.merge,
    Code.INVALID_STATUS: instances.status,
    Code.INVALID_DEPOSED_KEY: instances.deposed_key,
    Code.INVALID_SENSITIVE_PATHS: instances.sensitive_paths,
    Code.BOTH_ATTRIBUTE_FORMS: instances.both_forms,
    Code.DEPENDENCY_ADDRESS_INVALID: addresses.dependency,
    Code.CHECK_ADDRESS_INVALID: addresses.check_result,
    Code.INVALID_OUTPUT_TYPE: outputs.output,
    Code.INVALID_OUTPUT_VALUE: outputs.output,
}
# Impossible values stop the reader one by one. Those that are left show when the first ones are mended.
_MOST_IMPOSSIBLE: Final = 20
_STOPS: Final = frozenset({Code.INVALID_STRUCTURE, Code.PRIVATE_INVALID})


def defects(data: bytes, *, show_sensitive: bool = False) -> tuple[Defect, ...]:
    """Return the defects of a state in plain text, in file order as far as it is known.

    The texts of choices name objects by their ids; `show_sensitive` shows ids that are marked as sensitive.

    Problems of the whole file (not JSON, encrypted, an unsupported version) are the only defect then, without
    choices.
    """
    found = list(_reported(data))
    given = LooseDocument(data, show_sensitive=show_sensitive) if _is_state(data) else None
    if given is None:
        return tuple(Defect(finding, ()) for finding in found)
    seen: set[tuple[str, str]] = set()
    result = []
    for finding in found:
        # An address may have several problems.
        if (finding.code, finding.pointer) not in seen:
            seen.add((finding.code, finding.pointer))
            result.append(_with_choices(given, finding))
    return tuple(result)


def is_fatal(defect: Defect) -> bool:
    """Return whether the reader refuses a state with the defect."""
    return defect.finding.severity is Severity.ERROR


def _is_state(data: bytes) -> bool:
    return inspect(data).version is not None


def _with_choices(document: LooseDocument, finding: Finding) -> Defect:
    path = path_of(finding.pointer)
    finding = replace(finding, address=finding.address or _address(document, path))
    offer = _OFFERS.get(finding.code)
    if offer is None or not finding.pointer:
        return Defect(finding, path)
    return Defect(finding, path, tuple(offer(document, path, finding)))


def _reported(data: bytes) -> Iterator[Finding]:
    """Yield the errors of the reader, and what else has choices; beyond what makes it stop.

    A part that it cannot read becomes null in a copy, which every part may be: then the rest of the copy can be read,
    and all pointers stay. What only follows from the null is left out.
    """
    inspection = inspect(data)
    version = inspection.version
    if version is None:
        yield from (finding for finding in inspection.findings if finding.severity is Severity.ERROR)
        return
    unread: dict[Path, bytes | None] = {}
    for wrong in wrong_types(data, version):
        unread[wrong.path] = b"null"
        place = pointer(wrong.path)
        yield Code.INVALID_STRUCTURE.notice(INVALID, f"The member {place} is not valid: {wrong.reason}.", pointer=place)
    copy = changed(data, unread) if unread else data
    for _ in range(_MOST_IMPOSSIBLE):
        inspection = inspect(copy)
        stopped = [finding for finding in inspection.findings if finding.code in _STOPS and finding.pointer]
        if version != CURRENT_VERSION or len(stopped) != 1 or path_of(stopped[0].pointer) in unread:
            break
        yield stopped[0]
        unread[path_of(stopped[0].pointer)] = b"null"
        copy = changed(data, unread)
    for finding in map(_located, inspection.findings):
        is_defect = finding.severity is Severity.ERROR or finding.code in NO_STATE
        if (is_defect or finding.code in _OFFERS) and not _follows(finding, unread):
            yield replace(finding, severity=Severity.ERROR) if finding.code in NO_STATE else finding


def _located(finding: Finding) -> Finding:
    """Restore the pointer that the reader leaves out for versions 1 to 3, if it is the same in all versions."""
    if finding.code == Code.INVALID_TERRAFORM_VERSION and not finding.pointer:
        return replace(finding, pointer="/terraform_version")
    return finding


def _follows(finding: Finding, unread: Iterable[Path]) -> bool:
    """Return whether a finding may only be about a part that was not read."""
    path = path_of(finding.pointer)
    for other in unread:
        shared = min(len(path), len(other))
        if path and path[:shared] == other[:shared]:
            return True
        if finding.code.startswith("PRV") and other[-1] == "provider" and path[:2] == other[:2]:
            return True
    return False


def _address(document: LooseDocument, path: Path) -> str:
    """Return the address of the resource or output that a path leads into."""
    if len(path) >= 2 and path[0] == RESOURCES:
        return document.resource_address(path[:2])
    return f"output.{path[1]}" if len(path) >= 2 and path[0] == "outputs" else ""
