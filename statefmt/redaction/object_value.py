"""Returns the values of a resource instance object, with sensitive parts hidden unless requested."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Raw

from statefmt.golang import Members
from statefmt.model.cty import Path, decode_paths
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction._dynamic import unwrapped
from statefmt.redaction._hide import hide
from statefmt.redaction.flat import flat_value, sounds_secret
from statefmt.redaction.hidden import HIDDEN, Hidden
from statefmt.redaction.partial import Partial, decoded


def attributes_value(obj: ResourceInstanceObject, *, show_sensitive: bool) -> Partial:
    """Return the attributes of an object, with dynamic values unwrapped; flat attributes as an object of strings."""
    if obj.attributes is None:
        flat = obj.attributes_flat or {}
        return Members(flat.items()) if show_sensitive else flat_value(flat, sensitive_paths(obj))
    return unwrapped(obj.attributes if show_sensitive else hide(obj.attributes, sensitive_paths(obj)))


def identity_value(obj: ResourceInstanceObject, *, show_sensitive: bool) -> Partial:
    """Return the identity of an object, or None.

    Identities repeat attributes but have no sensitive marks, so parts that are sensitive as attributes are hidden,
    and so are members whose names suggest a secret.
    """
    raw = obj.identity
    if raw is None:
        return None
    if show_sensitive:
        return raw
    value = hide(raw, sensitive_paths(obj))
    if not isinstance(value, (Raw, dict)) or memoryview(raw)[0] != ord("{"):
        return value
    try:
        members = decoded(value)
    except ValueError:
        return HIDDEN
    if not isinstance(members, Members) or not any(sounds_secret(name) for name, _ in members):
        return value
    return Members((name, HIDDEN if sounds_secret(name) else part) for name, part in members)


def private_value(obj: ResourceInstanceObject, *, show_sensitive: bool) -> str | Hidden | None:
    """Return the provider's private data as base64, or None."""
    if not obj.private:
        return None
    return obj.private if show_sensitive else HIDDEN


def sensitive_paths(obj: ResourceInstanceObject) -> tuple[Path, ...]:
    """Return the decoded paths of `sensitive_attributes`."""
    return () if obj.sensitive_attributes == b"[]" else _paths(obj.sensitive_attributes)


@lru_cache(maxsize=1024)
def _paths(raw: bytes) -> tuple[Path, ...]:
    paths, problems = decode_paths(raw)
    # Reading a state refuses such lists; for an object made by other means, hide everything.
    return ((),) if problems else paths
