"""The values of one resource instance object, with what is sensitive in them hidden unless it is asked for."""

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
    """The attributes of an object, values of any type without their wrappings; flat ones as an object of texts."""
    if obj.attributes is None:
        flat = obj.attributes_flat or {}
        return Members(flat.items()) if show_sensitive else flat_value(flat, sensitive_paths(obj))
    return unwrapped(obj.attributes if show_sensitive else hide(obj.attributes, sensitive_paths(obj)))


def identity_value(obj: ResourceInstanceObject, *, show_sensitive: bool) -> Partial:
    """The identity of an object; None where it has none.

    It has no marks of its own. It repeats attributes, so that what is sensitive there is so here, and so is what sounds
    like a secret.
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
    """What the provider keeps for itself, as base64; None where it keeps nothing."""
    if not obj.private:
        return None
    return obj.private if show_sensitive else HIDDEN


def sensitive_paths(obj: ResourceInstanceObject) -> tuple[Path, ...]:
    """The paths under `sensitive_attributes`."""
    return () if obj.sensitive_attributes == b"[]" else _paths(obj.sensitive_attributes)


@lru_cache(maxsize=1024)
def _paths(raw: bytes) -> tuple[Path, ...]:
    paths, problems = decode_paths(raw)
    # Reading a state refuses such lists; whoever makes one by hand gets nothing shown.
    return ((),) if problems else paths
