"""Upgrades the objects of an instance of format version 3, and splits `meta` into schema version and private data.

Source: OpenTofu `internal/states/statefile/version3_upgrade.go` (commit 328af77d65).
"""

from __future__ import annotations

import base64
import re
from typing import Final

from msgspec import Raw

from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.legacy import InstanceV3, ResourceV3
from statefmt.formats.versions.upgrade_report import UpgradeFailed, UpgradeReport
from statefmt.formats.versions.v4 import IndexKey, InstanceObjectV4
from statefmt.golang import NumberText, encode_value, float64, loads_exact
from statefmt.model.addrs import InstanceKey, IntKey, ResourceInstance
from statefmt.text.pattern import pattern

_UINT64_MAX: Final = 2**64 - 1
_DIGITS: Final = pattern(r"[0-9]{1,40}", re.ASCII)


def upgrade_instance(
    addr: ResourceInstance, document: ResourceV3, text: str, pointer: str, report: UpgradeReport
) -> list[InstanceObjectV4]:
    """Return the current object, if any, and the deposed ones under numbered keys."""
    objects = []
    if document.primary is not None:
        objects.append(_object(document.primary, addr.key, "", text, f"{pointer}/primary", report))
    for number, deposed in enumerate(document.deposed or ()):
        place = f"{pointer}/deposed/{number}"
        if deposed is None:
            raise UpgradeFailed(3, f"a deposed object of {text!r} is null", place, text)
        key = f"{number + 1:08x}"
        report.chose(f"a deposed object without a key gets the key {key}", text, place)
        objects.append(_object(deposed, addr.key, key, text, place, report))
    return objects


def _object(
    old: InstanceV3, key: InstanceKey, deposed: str, text: str, pointer: str, report: UpgradeReport
) -> InstanceObjectV4:
    report.unknown(pointer, old.unknown, text)
    index_key: IndexKey = key.value if isinstance(key, IntKey) else None
    schema_version, private = _meta(old.meta or {}, pointer)
    return InstanceObjectV4(
        index_key=index_key,
        status="tainted" if old.tainted else None,
        deposed=deposed,
        schema_version=schema_version,
        attributes_flat=_attributes(old, text, pointer, report),
        private=private,
    )


def _attributes(old: InstanceV3, text: str, pointer: str, report: UpgradeReport) -> dict[str, str | None] | None:
    """Return the flat attributes, with the object's `id` if they have none."""
    if not old.id:
        return old.attributes
    attributes = dict(old.attributes or {})
    if not attributes.get("id"):
        attributes["id"] = old.id
    elif attributes["id"] != old.id:
        # The id of some resources is a secret, so the message shows neither.
        report.dropped('its id, which differs from its attribute "id"', text, f"{pointer}/id")
    return attributes


def _meta(meta: dict[str, Raw], pointer: str) -> tuple[int, str]:
    """Return the schema version, which the SDK then kept in `meta`, and the rest of `meta` as private data."""
    try:
        members = {name: loads_exact(bytes(raw), replace_invalid=True) for name, raw in meta.items()}
        schema_version = _schema_version(members.get("schema_version"))
        if schema_version is not None:
            del members["schema_version"]
        private = base64.b64encode(encode_value(members)).decode() if members else ""
    except ValueError as error:
        raise InvalidDocument(f"{pointer}/meta", str(error)) from error
    return schema_version or 0, private


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
