"""Upgrades format version 2 to 3: counts of maps in flat attributes are marked `%` instead of `#`.

Source: OpenTofu `internal/states/statefile/version2_upgrade.go` (commit 328af77d65).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum

from msgspec.structs import replace

from statefmt.formats.raw_json import token
from statefmt.formats.versions import UpgradeFailed, UpgradeReport
from statefmt.formats.versions.v3 import InstanceV3, ModuleV3, ResourceV3, StateV3
from statefmt.text import pattern

# What Go's strconv.Atoi accepts, apart from the range: such a key belongs to a list or a set.
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
            name: _resource(resource, name, f"/modules/{number}/resources/{token(name)}", report)
            for name, resource in (module.resources or {}).items()
        }
        modules.append(replace(module, resources=resources))
    return replace(old, version=3, modules=modules)


def _resource(old: ResourceV3 | None, name: str, pointer: str, report: UpgradeReport) -> ResourceV3:
    if old is None:
        raise UpgradeFailed(2, f"the resource {name!r} is null", pointer)
    return replace(
        old,
        primary=_instance(old.primary, name, f"{pointer}/primary", report) if old.primary else None,
        deposed=[
            _instance(instance, name, f"{pointer}/deposed/{number}", report) if instance else None
            for number, instance in enumerate(old.deposed or ())
        ],
    )


def _instance(old: InstanceV3, name: str, pointer: str, report: UpgradeReport) -> InstanceV3:
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
    """Return the prefixes of the collections that have a count, in order, by what the names directly below them are."""
    kinds = dict.fromkeys(sorted(key[:-1] for key in attributes if _is_count(key)), _Kind.EMPTY)
    if not kinds:
        return kinds
    # The collections around the current key. Sorting puts each prefix before all keys that start with it.
    around: list[str] = []
    for text in sorted([*kinds, *attributes]):
        while around and not text.startswith(around[-1]):
            around.pop()
        if around:
            # What is below an inner collection counts for that, and the prefix of it for the one around it.
            inner = around[-1]
            name = _first_name(text, len(inner))
            if name != "#" and kinds[inner] is not _Kind.MAP:
                kinds[inner] = _Kind.LIST if _is_index(name) else _Kind.MAP
        if text in kinds:
            around.append(text)
    return kinds


def _is_count(key: str) -> bool:
    """Return whether a key is `PREFIX.#`; OpenTofu's pattern does not match line breaks."""
    return key.endswith(".#") and "\n" not in key


def _first_name(key: str, start: int) -> str:
    """Return the first name of a key from `start` on; an element's own attributes count for the element."""
    dot = key.find(".", start)
    # A name that starts with a dot stays whole.
    return key[start:dot] if dot > start else key[start:]


def _is_index(key: str) -> bool:
    return bool(_WHOLE_NUMBER.fullmatch(key)) and len(key) < 25 and int(key) in _INT64
