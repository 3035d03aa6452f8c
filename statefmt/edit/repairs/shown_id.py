"""Shows the id of an object, unless it is secret."""

from __future__ import annotations

from msgspec import Raw

from statefmt.analysis.object_id import SECRET_IDS, id_is_sensitive
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.model.snapshot import ResourceInstanceObject
from statefmt.redaction.attribute_values import Withheld, withheld_members
from statefmt.redaction.partial import HIDDEN


def shown_id(state: LooseState, instance: JsonPath) -> str:
    """Return the id of an object, HIDDEN if it may be secret, "" if there is none."""
    found = state.object_id(instance)
    if not found or state.show_sensitive:
        return found
    type_name = state.string((*instance[:2], "type")) or ""
    is_secret = type_name in SECRET_IDS or _is_sensitive(state, instance, found, type_name)
    return HIDDEN if is_secret else found


def _is_sensitive(state: LooseState, instance: JsonPath, name: str, type_name: str) -> bool:
    """Return whether the id is sensitive, or another sensitive value is the same; True if in doubt."""
    raw = state.raw((*instance, "attributes"))
    flat = loads_exact(state.raw((*instance, "attributes_flat")) or b"null", replace_invalid=True)
    obj = ResourceInstanceObject(
        attributes=None if raw is None or raw == b"null" else Raw(raw),
        attributes_flat=_strings(flat),
        sensitive_attributes=state.raw((*instance, "sensitive_attributes")) or b"[]",
    )
    if id_is_sensitive(obj, type_name):
        return True
    hidden = (part.raw for part in withheld_members(obj, type_name).values() if isinstance(part, Withheld))
    return any(loads_exact(bytes(part), replace_invalid=True) == name for part in hidden)


def _strings(flat: JSONValue) -> dict[str, str]:
    members = dict(flat) if isinstance(flat, Members) else {}
    return {name: text for name, text in members.items() if isinstance(text, str) and not isinstance(text, NumberText)}
