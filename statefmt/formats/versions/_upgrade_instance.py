"""The objects of one instance of format version 3: flat attributes, `meta` split in schema version and private.

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
from statefmt.golang import (
    NumberText,
    encode_value,
    float64,
    loads_exact,
)
from statefmt.model.addrs import InstanceKey, IntKey, ResourceInstance
from statefmt.text.pattern import pattern

_UINT64_MAX: Final = 2**64 - 1
_DIGITS: Final = pattern(r"[0-9]{1,40}", re.ASCII)


def upgrade_instance(
    addr: ResourceInstance, document: ResourceV3, text: str, pointer: str, report: UpgradeReport
) -> list[InstanceObjectV4]:
    """The current object, if there is one, and the deposed ones under numbered keys."""
    objects = []
    if document.primary is not None:
        objects.append(_object(document.primary, addr.key, "", text, f"{pointer}/primary", report))
    for number, deposed in enumerate(document.deposed or ()):
        place = f"{pointer}/deposed/{number}"
        if deposed is None:
            raise UpgradeFailed(3, f"a deposed object of {text!r} is null", place, text)
        key = f"{number + 1:08x}"
        report.chose(f"a deposed object, which had no key, gets the key {key}", text, place)
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
    """The flat attributes, with the object's `id` where they have none."""
    if not old.id:
        return old.attributes
    attributes = dict(old.attributes or {})
    if not attributes.get("id"):
        attributes["id"] = old.id
    elif attributes["id"] != old.id:
        # For some resources the id is a secret, so neither is shown.
        report.dropped('its id, which its attribute "id" contradicts', text, f"{pointer}/id")
    return attributes


def _meta(meta: dict[str, Raw], pointer: str) -> tuple[int, str]:
    """The schema version that the SDK of those days kept in `meta`, and the rest of it as private data."""
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
    """What a `schema_version` in `meta` means; None where it is not one and stays private data.

    Raises ValueError for a number beyond float64, which Go does not read.
    """
    if isinstance(value, NumberText):
        return _go_uint64(float64(value))
    if isinstance(value, str):
        return int(value) if _DIGITS.fullmatch(value) and int(value) <= _UINT64_MAX else None
    return None


def _go_uint64(value: float) -> int:
    """A float as Go converts it to an unsigned integer on amd64, out of range included."""
    whole = int(value)
    if -(2**63) <= whole < 0:
        return whole % 2**64
    return whole if 0 <= whole <= _UINT64_MAX else 2**63
