"""What an `id` may be relative to: an object in another region, project or account is another one, whatever its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Raw

from statefmt.formats.versions.decode import object_members
from statefmt.golang import compact

SCOPES: Final = (
    "account_id", "application", "arn", "autoscaling_group_name", "bucket", "function_name", "location",
    "log_group_name", "namespace", "project", "region", "rule_set_name", "scalable_dimension", "zone", "zone_id",
)  # fmt: skip


def id_scope(attributes: Raw | None, flat: Mapping[str, str | None] | None) -> tuple[bytes, ...]:
    """What is said of each attribute of SCOPES, as JSON text; empty where nothing is.

    `flat` are the attributes where those as JSON are None.
    """
    if attributes is None:
        return tuple(msgspec.json.encode(text) if (text := (flat or {}).get(name)) else b"" for name in SCOPES)
    try:
        members = object_members(attributes)
    except msgspec.ValidationError:
        # Attributes that are no object.
        return (b"",) * len(SCOPES)
    return tuple(_said(members.get(name)) for name in SCOPES)


def _said(raw: Raw | None) -> bytes:
    text = b"" if raw is None else compact(bytes(raw))
    return b"" if text in (b"null", b'""') else text
