"""Upgrades the objects of an instance of format version 3, and splits `meta` into schema version and private data.

Source: OpenTofu `internal/states/statefile/version3_upgrade.go` (commit 328af77d65).
"""

from __future__ import annotations

import base64
import re
from functools import lru_cache
from typing import Final

from statefmt.formats.versions._resource_entry import ResourceEntry
from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.legacy_v3 import InstanceV3
from statefmt.formats.versions.upgrade_report import UpgradeFailed, UpgradeReport
from statefmt.formats.versions.v4 import IndexKey, InstanceObjectV4
from statefmt.golang import NumberText, encode_value, float64, loads_exact
from statefmt.model.addrs import IntKey
from statefmt.text.pattern import pattern

# Size of the cache of metadata, of all files of a run.
_KEPT: Final = 1024
_UINT64_MAX: Final = 2**64 - 1
_DIGITS: Final = pattern(r"[0-9]{1,40}", re.ASCII)


def upgrade_instance(entry: ResourceEntry, report: UpgradeReport) -> list[InstanceObjectV4]:
    """Return the current object, if any, and the deposed ones under numbered keys."""
    objects = []
    if entry.document.primary is not None:
        objects.append(_object(entry.document.primary, entry, "primary", "", report))
    for number, deposed in enumerate(entry.document.deposed or ()):
        place = f"deposed/{number}"
        if deposed is None:
            reason = f"a deposed object of {entry.text!r} is null"
            raise UpgradeFailed(3, reason, f"{entry.pointer}/{place}", entry.text)
        key = f"{number + 1:08x}"
        report.chose(f"a deposed object without a key gets the key {key}", entry.text, f"{entry.pointer}/{place}")
        objects.append(_object(deposed, entry, place, key, report))
    return objects


def _object(old: InstanceV3, entry: ResourceEntry, place: str, deposed: str, report: UpgradeReport) -> InstanceObjectV4:
    """Return one object; `place` is its pointer within the entry."""
    if old.unknown:
        report.unknown(f"{entry.pointer}/{place}", old.unknown, entry.text)
    key = entry.addr.key
    index_key: IndexKey = key.value if isinstance(key, IntKey) else None
    try:
        schema_version, private = _meta(tuple([(name, bytes(raw)) for name, raw in (old.meta or {}).items()]))
    except ValueError as error:
        raise InvalidDocument(f"{entry.pointer}/{place}/meta", str(error)) from error
    return InstanceObjectV4(
        index_key=index_key,
        status="tainted" if old.tainted else None,
        deposed=deposed,
        schema_version=schema_version,
        attributes_flat=_attributes(old, entry, place, report),
        private=private,
    )


def _attributes(
    old: InstanceV3, entry: ResourceEntry, place: str, report: UpgradeReport
) -> dict[str, str | None] | None:
    """Return the flat attributes, with the object's `id` if they have none."""
    attributes = old.attributes or {}
    given = attributes.get("id")
    if old.id and not given:
        return {**attributes, "id": old.id}
    if old.id and given != old.id:
        # The id of some resources is a secret, so the message shows neither.
        what = 'its id, which differs from its attribute "id"'
        report.dropped(what, entry.text, f"{entry.pointer}/{place}/id")
    return old.attributes


@lru_cache(maxsize=_KEPT)
def _meta(meta: tuple[tuple[str, bytes], ...]) -> tuple[int, str]:
    """Return the schema version, which the SDK then kept in `meta`, and the rest of `meta` as private data.

    Cached because most objects of a provider have the same. Raises ValueError for a value that Go rejects.
    """
    members = {name: loads_exact(text, replace_invalid=True) for name, text in meta}
    schema_version = _schema_version(members.get("schema_version"))
    if schema_version is not None:
        del members["schema_version"]
    return schema_version or 0, base64.b64encode(encode_value(members)).decode() if members else ""


def _schema_version(value: object) -> int | None:
    """Return the version in a `schema_version` of `meta`; None if it is invalid and stays private data.

    Raises ValueError for a number beyond float64, which Go rejects.
    """
    if isinstance(value, NumberText):
        return _go_uint64(float64(value))
    if isinstance(value, str):
        return int(value) if _DIGITS.fullmatch(value) and int(value) <= _UINT64_MAX else None
    return None


def _go_uint64(value: float) -> int:
    """Convert a float to an unsigned integer as Go does on amd64, even if it is out of range."""
    whole = int(value)
    if -(2**63) <= whole < 0:
        return whole % 2**64
    return whole if 0 <= whole <= _UINT64_MAX else 2**63
