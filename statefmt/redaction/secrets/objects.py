"""Finds the secrets of objects and outputs, decoding only those in which a search over bytes finds a trace of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec import Raw

from statefmt.golang import encode_string, loads_exact
from statefmt.redaction.secrets._known import known_secrets, known_traces
from statefmt.redaction.secrets._probes import is_suspect, suspects

if TYPE_CHECKING:
    from statefmt.redaction.secrets.search import FoundSecret

# In a name, an escape may hide a trace.
_ESCAPE: Final = b"\\u"


class TypedAttributes(NamedTuple):
    """The attributes of an object as JSON, flat ones as an object of strings, and the type of its resource."""

    type_name: str
    text: Raw
    is_flat: bool = False


def typed_attributes(type_name: str, attributes: Raw | None, flat: Mapping[str, str | None] | None) -> TypedAttributes:
    """Return the attributes of an object; `flat` are the flat ones if `attributes` is None."""
    if attributes is not None:
        return TypedAttributes(type_name, attributes)
    return TypedAttributes(type_name, Raw(msgspec.json.encode(flat or {})), is_flat=True)


def suspected_objects(objects: Sequence[TypedAttributes]) -> list[int]:
    """Return the indexes of those that may have secrets, in order."""
    found = set(suspects([each.text for each in objects]))
    found.update(place for place, each in enumerate(objects) if _has_trace(each))
    return sorted(found)


def is_suspected(attributes: TypedAttributes) -> bool:
    """Return whether the attributes of an object may have secrets."""
    return is_suspect(attributes.text) or _has_trace(attributes)


def secrets_of_object(attributes: TypedAttributes) -> tuple[FoundSecret, ...]:
    """Return the secrets in the attributes of an object. Raises ValueError if they nest too deeply."""
    # Imported late: compiling its patterns takes as long as checking some dozens of states.
    from statefmt.redaction.secrets.search import attribute_secrets

    value = loads_exact(bytes(attributes.text), replace_invalid=True)
    return attribute_secrets(value, known_secrets(attributes.type_name), is_flat=attributes.is_flat)


def known_attributes(type_name: str) -> frozenset[str]:
    """Return the attributes of a resource type that are known to be secret, or to have something secret in them."""
    return frozenset(one.names[0] for one in known_secrets(type_name))


def suspected_outputs(outputs: Sequence[tuple[str, Raw]]) -> Iterator[int]:
    """Yield the indexes of those that may have secrets, in order; `outputs` are names and values."""
    return suspects([_member(name, value) for name, value in outputs])


def is_suspected_output(name: str, value: Raw) -> bool:
    """Return whether the value of an output may have secrets."""
    return is_suspect(_member(name, value))


def _member(name: str, value: Raw) -> Raw:
    """Return an output as the only member of an object, for the search over bytes."""
    return Raw(b"{%b:%b}" % (encode_string(name), value))


def secrets_of_output(name: str, value: Raw) -> tuple[FoundSecret, ...]:
    """Return the secrets in the value of an output. Raises ValueError if it nests too deeply."""
    from statefmt.redaction.secrets.search import secrets_in

    return tuple(secrets_in(loads_exact(bytes(value), replace_invalid=True), name))


def _has_trace(each: TypedAttributes) -> bool:
    traces = known_traces(each.type_name)
    if not traces:
        return False
    text = bytes(each.text)
    return each.is_flat or any(trace in text for trace in traces) or _ESCAPE in text
