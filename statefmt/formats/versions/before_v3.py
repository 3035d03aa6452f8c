"""Defines format version 1 as written in the file, and upgrades version 1 to 2 and version 2 to 3.

In version 3, the counts of maps in flat attributes are marked `%` instead of `#`. Sources: OpenTofu
`internal/states/statefile`, `version1.go` and `version2_upgrade.go` (commit 328af77d65).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum

from msgspec import Raw
from msgspec.structs import replace

from statefmt.formats.raw_json import token
from statefmt.formats.versions import FormatObject, UpgradeFailed, UpgradeReport
from statefmt.formats.versions.v3 import InstanceV3, Int64, ModuleV3, OutputV3, RemoteV1, ResourceV3, StateV3
from statefmt.golang import encode_string
from statefmt.text import pattern


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
        modules=[_module_v1(module, number, report) for number, module in enumerate(old.modules or ())],
    )


def _module_v1(old: ModuleV1 | None, number: int, report: UpgradeReport) -> ModuleV3:
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
            name: _resource_v1(resource, name, f"{pointer}/resources/{token(name)}", report)
            for name, resource in (old.resources or {}).items()
        },
        depends_on=old.depends_on,
    )


def _resource_v1(old: ResourceV1 | None, name: str, pointer: str, report: UpgradeReport) -> ResourceV3:
    if old is None:
        raise UpgradeFailed(1, f"the resource {name!r} is null", pointer)
    report.unknown(pointer, old.unknown, name)
    if old.tainted:
        what = f"{len(old.tainted)} object(s) listed as tainted: version 2 has no such list, and OpenTofu ignores it"
        report.dropped(what, name, f"{pointer}/tainted")
    return ResourceV3(
        type=old.type,
        depends_on=old.depends_on,
        primary=_instance_v1(old.primary, name, f"{pointer}/primary", report) if old.primary else None,
        deposed=[
            _instance_v1(instance, name, f"{pointer}/deposed/{number}", report)
            for number, instance in enumerate(old.deposed or ())
        ],
        provider=old.provider,
    )


def _instance_v1(old: InstanceV1 | None, name: str, pointer: str, report: UpgradeReport) -> InstanceV3:
    if old is None:
        raise UpgradeFailed(1, f"a deposed object of {name!r} is null", pointer)
    report.unknown(pointer, old.unknown, name)
    return InstanceV3(
        id=old.id,
        attributes=old.attributes,
        meta={key: Raw(encode_string(value or "")) for key, value in (old.meta or {}).items()},
    )


# The integers that Go's strconv.Atoi accepts, apart from the range: such a key belongs to a list or a set.
_WHOLE_NUMBER = pattern(r"[+-]?[0-9]+", re.ASCII)
_INT64 = range(-(2**63), 2**63)


def upgrade_v2(old: StateV3, report: UpgradeReport) -> StateV3:
    """Return the same state as a document of version 3.

    Raises UpgradeFailed if a module or a resource is null.
    """
    modules: list[ModuleV3 | None] = []
    for number, module in enumerate(old.modules or ()):
        if module is None:
            raise UpgradeFailed(2, "a module is null", f"/modules/{number}")
        resources = {
            name: _resource_v2(resource, name, f"/modules/{number}/resources/{token(name)}", report)
            for name, resource in (module.resources or {}).items()
        }
        modules.append(replace(module, resources=resources))
    return replace(old, version=3, modules=modules)


def _resource_v2(old: ResourceV3 | None, name: str, pointer: str, report: UpgradeReport) -> ResourceV3:
    if old is None:
        raise UpgradeFailed(2, f"the resource {name!r} is null", pointer)
    return replace(
        old,
        primary=_instance_v2(old.primary, name, f"{pointer}/primary", report) if old.primary else None,
        deposed=[
            _instance_v2(instance, name, f"{pointer}/deposed/{number}", report) if instance else None
            for number, instance in enumerate(old.deposed or ())
        ],
    )


def _instance_v2(old: InstanceV3, name: str, pointer: str, report: UpgradeReport) -> InstanceV3:
    attributes = dict(old.attributes or {})
    for prefix, kind in _collections(attributes).items():
        if kind is _Kind.EMPTY:
            del attributes[f"{prefix}#"]
            place = f"{pointer}/attributes/{token(prefix)}#"
            report.dropped(f"the count of the empty collection {prefix[:-1]!r}", name, place)
        elif kind is _Kind.MAP:
            attributes[f"{prefix}%"] = attributes.pop(f"{prefix}#")
    return old if attributes == (old.attributes or {}) else replace(old, attributes=attributes)


class _Kind(Enum):
    EMPTY = "nothing but its count"
    LIST = "whole numbers, as a list or a set"
    MAP = "other names"


def _collections(attributes: Collection[str]) -> dict[str, _Kind]:
    """Return the prefixes of the counted collections, in order, with the kind shown by the names below them."""
    # OpenTofu's pattern does not match line breaks.
    counts = (key for key in attributes if key.endswith(".#") and "\n" not in key)
    kinds = dict.fromkeys(sorted(key[:-1] for key in counts), _Kind.EMPTY)
    if not kinds:
        return kinds
    # The collections that contain the current key. Sorting puts each prefix before all keys that start with it.
    around: list[str] = []
    for text in sorted([*kinds, *attributes]):
        while around and not text.startswith(around[-1]):
            around.pop()
        if around:
            # Keys below an inner collection count for that collection, and its prefix for the outer one.
            inner = around[-1]
            # An element's own attributes count for the element; a name that starts with a dot stays whole.
            start, dot = len(inner), text.find(".", len(inner))
            name = text[start:dot] if dot > start else text[start:]
            if name != "#" and kinds[inner] is not _Kind.MAP:
                kinds[inner] = _Kind.LIST if _is_index(name) else _Kind.MAP
        if text in kinds:
            around.append(text)
    return kinds


def _is_index(key: str) -> bool:
    return bool(_WHOLE_NUMBER.fullmatch(key)) and len(key) < 25 and int(key) in _INT64
