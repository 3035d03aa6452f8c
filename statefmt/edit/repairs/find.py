"""Finds what is wrong with a state that may not be loadable, with the choices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from statefmt.edit.repairs._document import path_of
from statefmt.edit.repairs._reported import RULES, reported
from statefmt.edit.repairs.defect import Choice, Defect
from statefmt.edit.repairs.loose_state import RESOURCES, LooseState
from statefmt.edit.repairs.offers.addresses import check_result_choices, identifier_choices, module_address_choices
from statefmt.edit.repairs.offers.dependencies import dangling_dependency_choices, invalid_dependency_choices
from statefmt.edit.repairs.offers.duplicates import duplicate_instance_choices
from statefmt.edit.repairs.offers.instances import (
    both_forms_choices,
    damaged_value_choices,
    deposed_key_choices,
    missing_path_choices,
    mode_choices,
    sensitive_paths_choices,
    status_choices,
)
from statefmt.edit.repairs.offers.keys import invalid_key_choices, mixed_keys_choices
from statefmt.edit.repairs.offers.legacy import not_upgradable_choices
from statefmt.edit.repairs.offers.outputs import output_choices
from statefmt.edit.repairs.offers.providers import (
    provider_blocks_choices,
    provider_conflict_choices,
    provider_keys_choices,
    provider_levels_choices,
)
from statefmt.edit.repairs.offers.shared_objects import same_object, shared_object_choices
from statefmt.edit.repairs.offers.spread import spread_resource_choices
from statefmt.edit.repairs.offers.structure import private_choices, wrong_type_choices
from statefmt.edit.repairs.offers.top_level import lineage_choices, not_utf8_choices, release_choices, serial_choices
from statefmt.edit.repairs.offers.unnamed_providers import invalid_provider_choices, missing_provider_choices
from statefmt.formats.reading import inspect
from statefmt.formats.writing.changes import JsonPath
from statefmt.model.findings import NO_STATE, Code, Finding, Severity

if TYPE_CHECKING:
    # Not imported at run time: most runs have no configuration.
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
