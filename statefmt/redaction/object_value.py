"""Returns the values of a resource instance object, with sensitive parts hidden unless requested."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Raw

from statefmt.golang import Members
from statefmt.model.cty import Path, decode_paths
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction._dynamic import unwrapped
from statefmt.redaction._hide import hide
from statefmt.redaction.flat import flat_value, sounds_secret
from statefmt.redaction.hidden import HIDDEN, Hidden
from statefmt.redaction.partial import Partial, decoded
from statefmt.redaction.secrets.covered import Covered, SecretSteps
from statefmt.redaction.secrets.objects import (
    TypedAttributes,
    is_suspected,
    is_suspected_output,
    secrets_of_object,
    secrets_of_output,
    suspected_objects,
    typed_attributes,
)

if TYPE_CHECKING:
    from statefmt.redaction.secrets.search import FoundSecret


def attributes_value(obj: ResourceInstanceObject, type_name: str, *, show_sensitive: bool) -> Partial:
    """Return the attributes of an object, with dynamic values unwrapped; flat attributes as an object of strings."""
    if obj.attributes is None:
        flat = obj.attributes_flat or {}
        return Members(flat.items()) if show_sensitive else shown_flat(obj, type_name)
    if show_sensitive:
        return unwrapped(obj.attributes)
    return unwrapped(hide(obj.attributes, sensitive_paths(obj), known=secret_steps(obj, type_name)))


def shown_flat(obj: ResourceInstanceObject, type_name: str) -> Members:
    """Return flat attributes as an object of strings, with HIDDEN for those that may be sensitive."""
    known = secret_steps(obj, type_name)
    flat = obj.attributes_flat or {}
    return flat_value(flat, sensitive_paths(obj), [str(steps[0]) for steps in known if steps] if all(known) else flat)


def identity_value(obj: ResourceInstanceObject, type_name: str, *, show_sensitive: bool) -> Partial:
    """Return the identity of an object, or None.

    Identities repeat attributes but have no sensitive marks, so parts that are sensitive as attributes are hidden,
    and so are members that are secrets by name or shape.
    """
    raw = obj.identity
    if raw is None:
        return None
    if show_sensitive:
        return raw
    value = hide(raw, sensitive_paths(obj), known=identity_steps(obj, type_name))
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


def output_value(output: OutputValue, *, show_sensitive: bool) -> Partial:
    """Return the value of an output, HIDDEN if it is sensitive, with HIDDEN for the parts that are secrets."""
    raw = Raw(output.value)
    if show_sensitive:
        return raw
    return HIDDEN if output.sensitive else hide(raw, (), known=output_steps(output))


def hides_output(output: OutputValue) -> bool:
    """Return whether output_value() hides the value or a part of it."""
    return output.sensitive or bool(output_steps(output))


def output_steps(output: OutputValue) -> tuple[SecretSteps, ...]:
    """Return the places in the value of an output that are secrets by name or shape."""
    return named_steps(output.name, Raw(output.value))


def named_steps(name: str, value: Raw) -> tuple[SecretSteps, ...]:
    """Return the places in a value that are secrets by its name, or by their own name or shape."""
    if not is_suspected_output(name, value):
        return ()
    try:
        return tuple(secret.steps for secret in secrets_of_output(name, value))
    except (ValueError, RecursionError):
        return ((),)


def sensitive_paths(obj: ResourceInstanceObject) -> tuple[Path, ...]:
    """Return the decoded paths of `sensitive_attributes`."""
    return () if obj.sensitive_attributes == b"[]" else _paths(obj.sensitive_attributes)


@lru_cache(maxsize=1024)
def _paths(raw: bytes) -> tuple[Path, ...]:
    paths, problems = decode_paths(raw)
    # Reading a state refuses such lists; for an object made by other means, hide everything.
    return ((),) if problems else paths


def secret_steps(obj: ResourceInstanceObject, type_name: str) -> tuple[SecretSteps, ...]:
    """Return the places in the attributes, marked or not, that are secrets by their type, name or shape.

    Everything is a secret if the attributes nest too deeply to tell.
    """
    if obj.attributes is None and not obj.attributes_flat:
        return ()
    return _steps(typed_attributes(type_name, obj.attributes, obj.attributes_flat))


def identity_steps(obj: ResourceInstanceObject, type_name: str) -> tuple[SecretSteps, ...]:
    """Return the same of the identity."""
    return typed_steps(type_name, obj.identity)


def typed_steps(type_name: str, attributes: Raw | None) -> tuple[SecretSteps, ...]:
    """Return the same of attributes that are not in a state; none if there are no attributes."""
    return () if attributes is None else _steps(typed_attributes(type_name, attributes, None))


def _steps(attributes: TypedAttributes) -> tuple[SecretSteps, ...]:
    if not is_suspected(attributes):
        return ()
    try:
        return tuple(secret.steps for secret in secrets_of_object(attributes))
    except (ValueError, RecursionError):
        return ((),)


def with_secrets(objects: Sequence[tuple[ResourceInstanceObject, str]]) -> list[int]:
    """Return the indexes of the objects, each given with its type, for which secret_steps() is not empty; faster."""
    given = [
        (place, typed_attributes(type_name, obj.attributes, obj.attributes_flat))
        for place, (obj, type_name) in enumerate(objects)
        if obj.attributes is not None or obj.attributes_flat
    ]
    suspected = suspected_objects([attributes for _, attributes in given])
    return [given[number][0] for number in suspected if _steps(given[number][1])]


def unmarked_secrets(obj: ResourceInstanceObject, type_name: str) -> tuple[FoundSecret, ...]:
    """Return the secrets in the attributes that only their type, name or shape tells, for a message that says so."""
    attributes = typed_attributes(type_name, obj.attributes, obj.attributes_flat)
    if not is_suspected(attributes):
        return ()
    try:
        found = secrets_of_object(attributes)
    except (ValueError, RecursionError):
        return ()
    covered = Covered(sensitive_paths(obj))
    return tuple(secret for secret in found if secret.steps not in covered)
