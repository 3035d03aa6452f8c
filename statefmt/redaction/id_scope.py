"""Determines the scope of an `id`: objects in different regions or accounts differ even if their ids match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Raw

from statefmt.formats.versions import object_members
from statefmt.golang import compact

SCOPES: Final = (
    "account_id", "application", "arn", "autoscaling_group_name", "bucket", "function_name", "location",
    "log_group_name", "namespace", "project", "region", "rule_set_name", "scalable_dimension", "zone", "zone_id",
)  # fmt: skip


def id_scope(attributes: Raw | None, flat: Mapping[str, str | None] | None) -> tuple[bytes, ...]:
    """Return the JSON text of each attribute in SCOPES; b"" if it is missing, null or empty.

    `flat` holds the flat attributes if `attributes` is None.
    """
    if attributes is None:
        return tuple(msgspec.json.encode(text) if (text := (flat or {}).get(name)) else b"" for name in SCOPES)
    try:
        members = object_members(attributes)
    except msgspec.ValidationError:
        # The attributes are not an object.
        return (b"",) * len(SCOPES)
    return tuple(_said(members.get(name)) for name in SCOPES)


def _said(raw: Raw | None) -> bytes:
    text = b"" if raw is None else compact(bytes(raw))
    return b"" if text in (b"null", b'""') else text
