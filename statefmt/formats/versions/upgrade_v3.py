"""Upgrades format version 3 to 4: groups instances by resource, and makes addresses of local provider names.

Source: OpenTofu `internal/states/statefile/version3_upgrade.go` (commit 328af77d65).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import islice
from typing import Final

from msgspec import UNSET, Raw

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.raw_json.raw import equals
from statefmt.formats.versions._legacy_address import parse_legacy_address
from statefmt.formats.versions._resource_entry import ResourceEntry
from statefmt.formats.versions._upgrade_instance import upgrade_instance
from statefmt.formats.versions._upgrade_provider import resource_provider
from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.legacy_v3 import ModuleV3, OutputV3, StateV3
from statefmt.formats.versions.upgrade_report import UpgradeFailed, UpgradeReport
from statefmt.formats.versions.v4 import InstanceObjectV4, OutputV4, ResourceV4, StateV4
from statefmt.golang import loads_exact
from statefmt.model.addrs import Module, Resource, ResourceMode, is_identifier
from statefmt.model.addrs.order import instance_file_order
from statefmt.model.cty.implied import upgrade_output as upgrade_value

# How type descriptions of version 4 start, for each type that version 3 has.
_MEANINGS: Final = {"string": (b'"',), "list": (b'["list"', b'["tuple"'), "map": (b'["map"', b'["object"')}


# A path of more modules is deep. The addresses of all objects in deep modules may have so many characters together:
# format 4 repeats the path for each, so a small file could become one of many gigabytes.
_DEEP: Final = 200
_LONGEST: Final = 1 << 24
# Size of the cache of module paths, of all files of a run.
_KEPT: Final = 256
# Older formats may omit the release; OpenTofu then writes this one.
_NO_RELEASE = "0.0.0"
_MODES = {ResourceMode.MANAGED: "managed", ResourceMode.DATA: "data"}


def upgrade_v3(old: StateV3, report: UpgradeReport) -> StateV4:
    """Return the same state as a document of version 4. Raises UpgradeFailed if that is impossible."""
    if old.serial is not None and old.serial < 0:
        raise UpgradeFailed(3, "the state has a serial less than zero", "/serial")
    report.unknown("", old.unknown)
    _report_backend(old, report)
    if not old.terraform_version:
        report.chose(f'terraform_version is missing, so "{_NO_RELEASE}" is written', "", "/terraform_version")
    resources: list[ResourceV4 | None] = []
    outputs: dict[str, OutputV4 | None] = {}
    repeated = 0
    for number, given in enumerate(old.modules or ()):
        pointer = f"/modules/{number}"
        if given is None:
            raise UpgradeFailed(3, "a module is null", pointer)
        try:
            module, address = _module(tuple(given.path or ()))
        except ValueError as error:
            raise UpgradeFailed(3, str(error), f"{pointer}/path") from error
        depth = len(given.path or ()) - 1
        if depth > _DEEP:
            repeated += len(address) * _objects(given)
            if repeated > _LONGEST:
                reason = f"a module is {depth:,} modules deep, too deep for so many objects"
                raise UpgradeFailed(3, reason, f"{pointer}/path")
        report.unknown(pointer, given.unknown, address)
        if given.depends_on:
            report.dropped(f"its dependencies ({_listed(given.depends_on)})", address, f"{pointer}/depends_on")
        resources += _resources(given, module, address, pointer, report)
        if not module:
            outputs |= _outputs(given.outputs or {}, pointer, report)
        elif given.outputs:
            names = _listed(given.outputs)
            report.dropped(f"its outputs ({names}), which each run recomputes", address, f"{pointer}/outputs")
    return StateV4(
        terraform_version=old.terraform_version or _NO_RELEASE,
        serial=old.serial,
        lineage=old.lineage,
        outputs=outputs,
        resources=resources,
    )


def _report_backend(old: StateV3, report: UpgradeReport) -> None:
    """Report what says where the state is: alone, it makes the file the one that `init` writes."""
    has_store = old.state_store is not UNSET and not equals(old.state_store, b"null")
    given = (("backend", old.backend is not None), ("state_store", has_store), ("remote", old.remote is not None))
    present = [name for name, is_given in given if is_given]
    holds_something = any(module and (module.resources or module.outputs) for module in old.modules or ())
    if present and not holds_something:
        report.backend_configuration(present[0])
        return
    for member in present:
        report.dropped(f'the block "{member}": the configuration says where the state is stored', "", f"/{member}")


@lru_cache(maxsize=_KEPT)
def _module(given: tuple[str | None, ...]) -> tuple[Module, str]:
    """Return the module that a path names, and its address. Raises ValueError with the reason if it is invalid."""
    path = [name or "" for name in given]
    if not path or path[0] != "root":
        raise ValueError(f'the module path {path} does not start with "root"')
    for name in path[1:]:
        if not is_identifier(name):
            raise ValueError(
                f"the module path {path} contains {name!r}, which is not a valid identifier; rename the module with "
                "Terraform 0.11 first"
            )
    module = Module(tuple(path[1:]))
    return module, str(module)


def _objects(given: ModuleV3) -> int:
    return sum([1 + len(one.deposed or ()) for one in (given.resources or {}).values() if one])


def _resources(
    given: ModuleV3, module: Module, address: str, pointer: str, report: UpgradeReport
) -> list[ResourceV4 | None]:
    """Return the module's instances, grouped by resource, the lowest key of each first."""
    gathered: dict[Resource, list[ResourceEntry]] = {}
    for name, document in (given.resources or {}).items():
        try:
            addr = parse_legacy_address(name)
        except ValueError as error:
            raise UpgradeFailed(3, str(error), f"{pointer}/resources/{token(name)}", name) from error
        if document is None:
            place = f"{pointer}/resources/{token(name)}"
            raise UpgradeFailed(3, f"the resource {name!r} is null", place, name)
        gathered.setdefault(addr.resource, []).append(ResourceEntry(address, pointer, name, addr, document))
    for entries in gathered.values():
        if len(entries) > 1:
            entries.sort(key=lambda entry: instance_file_order(entry.addr.key))
    return [_resource(resource, entries, module, report) for resource, entries in gathered.items()]


def _resource(resource: Resource, entries: list[ResourceEntry], module: Module, report: UpgradeReport) -> ResourceV4:
    objects: list[InstanceObjectV4 | None] = []
    for entry in entries:
        document = entry.document
        if document.unknown:
            report.unknown(entry.pointer, document.unknown, entry.text)
        if document.depends_on:
            what = f"its dependencies ({_listed(document.depends_on)})"
            report.dropped(what, entry.text, f"{entry.pointer}/depends_on")
        if document.type and document.type != resource.type:
            what = f"its type {document.type!r}, which differs from its address"
            report.dropped(what, entry.text, f"{entry.pointer}/type")
        objects += upgrade_instance(entry, report)
    return ResourceV4(
        module=entries[0].module,
        mode=_MODES[resource.mode],
        type=resource.type,
        name=resource.name,
        provider=resource_provider(resource, module, entries, report),
        instances=objects,
    )


def _outputs(given: Mapping[str, OutputV3 | None], pointer: str, report: UpgradeReport) -> dict[str, OutputV4 | None]:
    outputs: dict[str, OutputV4 | None] = {}
    for name, output in given.items():
        place = f"{pointer}/outputs/{token(name)}"
        if output is None:
            raise UpgradeFailed(3, f"the output {name!r} is null", place, f"output.{name}")
        report.unknown(place, output.unknown, f"output.{name}")
        outputs[name] = upgrade_output(output, name, place, report)
    return outputs


def _listed(names: Collection[str | None]) -> str:
    """Format a few names for a message."""
    shown = ", ".join([str(name) for name in islice(names, 5)])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


def upgrade_output(old: OutputV3, name: str, pointer: str, report: UpgradeReport) -> OutputV4:
    """Return the output in version 4. Its old type is not used: it only distinguishes string, list and map."""
    try:
        value, type_ = upgrade_value(
            loads_exact(bytes(old.value), replace_invalid=True) if isinstance(old.value, Raw) else None
        )
    except ValueError as error:
        raise InvalidDocument(f"{pointer}/value", str(error)) from error
    if old.type and not type_.startswith(_MEANINGS.get(old.type, ())) and type_ != b'"dynamic"':
        report.dropped(f"its type {old.type!r}, which does not fit its value", f"output.{name}", f"{pointer}/type")
    return OutputV4(value=Raw(value), type=Raw(type_), sensitive=old.sensitive)
