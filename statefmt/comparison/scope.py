"""What an `id` may be relative to: an object in another region, project or account is another one, whatever its id."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from statefmt.golang import compact
from statefmt.statefile.decode import object_members
from statefmt.states import ResourceInstanceObject
from statefmt.values.id_scope import SCOPES


def scope(obj: ResourceInstanceObject) -> tuple[bytes, ...]:
    """What an object says of each attribute of SCOPES, as JSON text; empty where it says nothing."""
    if obj.attributes is None:
        flat = obj.attributes_flat or {}
        return tuple(msgspec.json.encode(flat[name]) if flat.get(name) else b"" for name in SCOPES)
    try:
        members = object_members(obj.attributes)
    except msgspec.ValidationError:
        # Attributes that are no object.
        return (b"",) * len(SCOPES)
    return tuple(_said(members.get(name)) for name in SCOPES)


def one_scope(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    """Whether nothing that both objects say of their scope differs; providers add such attributes in later releases."""
    return all(mine == theirs or not mine or not theirs for mine, theirs in zip(scope(one), scope(other), strict=True))


def _said(raw: Raw | None) -> bytes:
    text = b"" if raw is None else compact(bytes(raw))
    return b"" if text in (b"null", b'""') else text
