"""Defines format version 1 as written in the file, and upgrades it to 2.

Source: OpenTofu `internal/states/statefile/version1.go` (commit 328af77d65).
"""

from __future__ import annotations

from msgspec import Raw

from statefmt.formats.raw_json import token
from statefmt.formats.versions import FormatObject, UpgradeFailed, UpgradeReport
from statefmt.formats.versions.v3 import InstanceV3, Int64, ModuleV3, OutputV3, RemoteV1, ResourceV3, StateV3
from statefmt.golang import encode_string


class InstanceV1(FormatObject):
    """One object in version 1."""

    id: str | None = None
    attributes: dict[str, str | None] | None = None
    meta: dict[str, str | None] | None = None


class ResourceV1(FormatObject):
    """One resource instance in version 1, with its current, tainted and deposed objects."""

    type: str | None = None
    depends_on: list[str | None] | None = None
    primary: InstanceV1 | None = None
    tainted: list[InstanceV1 | None] | None = None
    deposed: list[InstanceV1 | None] | None = None
    provider: str | None = None


class ModuleV1(FormatObject):
    """One module in version 1; `path` starts with `root`."""

    path: list[str | None] | None = None
    outputs: dict[str, str | None] | None = None
    resources: dict[str, ResourceV1 | None] | None = None
    depends_on: list[str | None] | None = None


class StateV1(FormatObject):
    """A whole document of format version 1."""

    version: Int64 | None = None
    serial: Int64 | None = None
    remote: RemoteV1 | None = None
    modules: list[ModuleV1 | None] | None = None


def upgrade_v1(old: StateV1, report: UpgradeReport) -> StateV3:
    """Return the same state as a document of version 2.

    Raises UpgradeFailed if a module, a resource or an object is null.
    """
    report.unknown("", old.unknown)
    return StateV3(
        version=2,
        serial=old.serial,
        remote=old.remote,
        modules=[_module(module, number, report) for number, module in enumerate(old.modules or ())],
    )


def _module(old: ModuleV1 | None, number: int, report: UpgradeReport) -> ModuleV3:
    pointer = f"/modules/{number}"
    if old is None:
        raise UpgradeFailed(1, "a module is null", pointer)
    report.unknown(pointer, old.unknown)
    return ModuleV3(
        # Some programs wrote no path for the root module.
        path=old.path or ["root"],
        outputs={
            name: OutputV3(type="string", value=Raw(encode_string(value or "")))
            for name, value in (old.outputs or {}).items()
        },
        resources={
            name: _resource(resource, name, f"{pointer}/resources/{token(name)}", report)
            for name, resource in (old.resources or {}).items()
        },
        depends_on=old.depends_on,
    )


def _resource(old: ResourceV1 | None, name: str, pointer: str, report: UpgradeReport) -> ResourceV3:
    if old is None:
        raise UpgradeFailed(1, f"the resource {name!r} is null", pointer)
    report.unknown(pointer, old.unknown, name)
    if old.tainted:
        report.dropped(
            f"{len(old.tainted)} object(s) listed as tainted: version 2 has no such list, and OpenTofu ignores it",
            name,
            f"{pointer}/tainted",
        )
    return ResourceV3(
        type=old.type,
        depends_on=old.depends_on,
        primary=_instance(old.primary, name, f"{pointer}/primary", report) if old.primary else None,
        deposed=[
            _instance(instance, name, f"{pointer}/deposed/{number}", report)
            for number, instance in enumerate(old.deposed or ())
        ],
        provider=old.provider,
    )


def _instance(old: InstanceV1 | None, name: str, pointer: str, report: UpgradeReport) -> InstanceV3:
    if old is None:
        raise UpgradeFailed(1, f"a deposed object of {name!r} is null", pointer)
    report.unknown(pointer, old.unknown, name)
    return InstanceV3(
        id=old.id,
        attributes=old.attributes,
        meta={key: Raw(encode_string(value or "")) for key, value in (old.meta or {}).items()},
    )
