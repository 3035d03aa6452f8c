"""Reads the attribute `id` of an object, by which its provider identifies it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Raw, Struct

from statefmt.formats.versions import object_members
from statefmt.golang import loads_exact
from statefmt.model.snapshot import ResourceInstanceObject
from statefmt.redaction.object_value import secret_steps, sensitive_paths, shown_flat
from statefmt.redaction.partial import HIDDEN, Hidden, step_key

# Types of resources whose id may be a secret without a mark: the id of a random_string is its result, as was the id
# of a random_password in old releases of the provider.
SECRET_IDS: Final = frozenset({"random_password", "random_string", "random_bytes"})
_ABSENT: Final = Raw(b"null")


class _Identified(Struct):
    id: Raw = _ABSENT  # the decoder skips everything else: attributes can be long


_DECODER: Final = msgspec.json.Decoder(_Identified)


class _OrdinarilyIdentified(Struct, gc=False):
    id: str | None = None


# Raises a DecodeError for an id that is not a string, such as a number.
_ORDINARY: Final = msgspec.json.Decoder(_OrdinarilyIdentified)


def object_id(obj: ResourceInstanceObject) -> str | None:
    """Return the `id` of an object as a string, a number as written; None if it has none.

    It may be sensitive: check `id_is_sensitive` before showing it.
    """
    name = id_among(obj.attributes, obj.attributes_flat)
    return None if name is None else str(name)


def shown_id(obj: ResourceInstanceObject, type_name: str, *, show_sensitive: bool) -> str | None:
    """Like object_id(), but HIDDEN for a sensitive id unless `show_sensitive`."""
    name = object_id(obj)
    return HIDDEN if name is not None and not show_sensitive and id_is_sensitive(obj, type_name) else name


def id_among(attributes: Raw | None, flat: Mapping[str, str | None] | None) -> str | None:
    """Return the `id` in JSON attributes or, if those are None, in flat ones; a number is a NumberText."""
    if attributes is None:
        return (flat or {}).get("id")
    if memoryview(attributes)[0] != ord("{"):
        return None
    try:
        return _ORDINARY.decode(attributes).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        raw = bytes(_DECODER.decode(attributes).id)
    except RecursionError:
        # Nested too deeply to read.
        return None
    except (msgspec.DecodeError, UnicodeDecodeError):
        # The attributes contain an unpaired surrogate.
        raw = bytes(object_members(attributes).get("id", _ABSENT))
    value = loads_exact(raw, replace_invalid=True)
    return value if isinstance(value, str) else None


def id_is_sensitive(obj: ResourceInstanceObject, type_name: str) -> bool:
    """Return whether a sensitive path leads to the `id`, into it, or to all attributes; true if in doubt.

    An `id` that is a secret by its type, name or shape is sensitive, too, as is an `id` in flat attributes, which
    have no marks, if `show` hides it.
    """
    if obj.attributes is None:
        return isinstance(dict(shown_flat(obj, type_name)).get("id"), Hidden)
    first = [step_key(path[0]) if path else "id" for path in sensitive_paths(obj)]
    first += [steps[0] if steps else "id" for steps in secret_steps(obj, type_name)]
    return any(key == "id" or not isinstance(key, str) for key in first)
