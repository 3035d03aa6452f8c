"""Finds what is wrong with a state that may not be loadable, with the choices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from statefmt.edit.repairs._document import path_of
from statefmt.edit.repairs._reported import RULES, reported
from statefmt.edit.repairs.defect import Choice, Defect
from statefmt.edit.repairs.loose_state import RESOURCES, LooseState
from statefmt.edit.repairs.offers import (
    addresses,
    dependencies,
    duplicates,
    instances,
    keys,
    legacy,
    outputs,
    providers,
    shared_objects,
    spread,
    structure,
    top_level,
    unnamed_providers,
)
from statefmt.formats.reading import inspect
from statefmt.formats.writing.changes import JsonPath
from statefmt.model.findings import NO_STATE, Code, Finding, Severity

if TYPE_CHECKING:
    # Not imported at run time: most runs have no configuration.
    from statefmt.configuration.provider_instances import ProviderReferences

_Offer = Callable[[LooseState, JsonPath, Finding], Iterable[Choice]]

# By code. Errors of other codes have no choice; warnings of other codes are not defects.
OFFERS: Final[dict[str, _Offer]] = {
    Code.INVALID_STRUCTURE: structure.wrong_type,
    Code.UPGRADE_FAILED: legacy.not_upgradable,
    Code.INVALID_TERRAFORM_VERSION: top_level.release,
    Code.NOT_UTF8: top_level.not_utf8,
    Code.NO_LINEAGE: top_level.lineage,
    Code.SERIAL_ODD: top_level.serial,
    Code.PRIVATE_INVALID: structure.private,
    Code.PROVIDER_BOTH_LEVELS: providers.both_levels,
    Code.PROVIDER_MISSING: unnamed_providers.missing,
    Code.PROVIDER_CONFIGURATIONS_DIFFER: providers.conflict,
    Code.PROVIDER_ADDRESS_INVALID: unnamed_providers.invalid,
    Code.PROVIDER_KEYS_DIFFER: providers.spread_keys,
    Code.PROVIDER_BLOCKS_DIFFER: providers.blocks_differ,
    Code.MODULE_ADDRESS_INVALID: addresses.module,
    Code.DUPLICATE_INSTANCE: duplicates.duplicate,
    Code.INVALID_MODE: instances.mode,
    Code.INVALID_INSTANCE_KEY: keys.invalid,
    Code.INSTANCE_KEYS_MIXED: keys.mixed,
    Code.DUPLICATE_REMOTE_OBJECT: shared_objects.shared,
    Code.INVALID_IDENTIFIER: addresses.identifier,
    Code.RESOURCE_SPREAD: spread.merge,
    Code.INVALID_STATUS: instances.status,
    Code.INVALID_DEPOSED_KEY: instances.deposed_key,
    Code.INVALID_SENSITIVE_PATHS: instances.sensitive_paths,
    Code.SENSITIVE_PATH_MISSING: instances.missing_path,
    Code.BOTH_ATTRIBUTE_FORMS: instances.both_forms,
    Code.DAMAGED_VALUE: instances.damaged_value,
    Code.DEPENDENCY_ADDRESS_INVALID: dependencies.invalid,
    Code.DEPENDENCY_DANGLING: dependencies.dangling,
    Code.CHECK_ADDRESS_INVALID: addresses.check_result,
    Code.INVALID_OUTPUT_TYPE: outputs.output,
    Code.INVALID_OUTPUT_VALUE: outputs.output,
}


def defects(
    data: bytes, references: ProviderReferences | None = None, *, show_sensitive: bool = False
) -> tuple[Defect, ...]:
    """Return the defects of a state in plain text, in file order as far as it is known.

    Problems of the whole file (not JSON, encrypted, an unsupported version) are the only defect then, without
    choices. `references` are those of the configuration of the state, which choices then offer. The texts of choices
    have secret ids if `show_sensitive` is set.
    """
    inspection = inspect(data)
    if inspection.version is None:
        return tuple(Defect(finding, ()) for finding in inspection.findings if finding.severity is Severity.ERROR)
    merged = [finding for finding in inspection.findings if finding.code == Code.DUPLICATE_MEMBER]
    if merged:
        # The findings are about what Terraform and OpenTofu read, which is not a part of the text.
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
    """Return what findings share that are one defect: the same choice mends them."""
    if finding.code == Code.DUPLICATE_INSTANCE and path[:1] == (RESOURCES,):
        return finding.code, state.objects_like(path)[0].path
    if finding.code == Code.PROVIDER_BOTH_LEVELS:
        return finding.code, path[:2]
    if finding.code == Code.DUPLICATE_REMOTE_OBJECT and path:
        return finding.code, shared_objects.same_object(state, path)[0]
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
