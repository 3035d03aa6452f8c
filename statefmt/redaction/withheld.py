"""Splits attributes into members whose sensitive parts are withheld: hidden like HIDDEN, but recoverable on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Raw

from statefmt.formats.raw_json import container_at
from statefmt.formats.versions import object_members
from statefmt.golang import JSONValue, Members, encode_string
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction._dynamic import unwrapped
from statefmt.redaction._hide import hide
from statefmt.redaction.flat import sounds_secret
from statefmt.redaction.hidden import HIDDEN, Hidden
from statefmt.redaction.object_value import identity_steps, output_steps, secret_steps, sensitive_paths, shown_flat
from statefmt.redaction.partial import Partial, decoded


class Withheld(Hidden):
    """HIDDEN with the JSON text of the value that it stands for."""

    __slots__ = ("raw",)
    raw: Raw

    def __new__(cls, raw: Raw) -> Withheld:
        placeholder = super().__new__(cls, HIDDEN)
        placeholder.raw = raw
        return placeholder


def withheld_members(obj: ResourceInstanceObject, type_name: str) -> Mapping[str, Partial]:
    """Return the attributes of an object by name, undecoded, with a Withheld for each part that `show` hides.

    The last of repeated members counts. If all attributes are hidden, each of them is withheld. Flat attributes are
    strings. Returns no members for attributes that are not an object.
    """
    raw = obj.attributes
    if raw is None:
        return _flat_members(obj, type_name)
    if memoryview(raw)[0] != ord("{"):
        return {}
    shown = hide(raw, sensitive_paths(obj), Withheld, secret_steps(obj, type_name))
    if isinstance(shown, dict):
        return shown
    members = _members(raw)
    return {name: Withheld(part) for name, part in members.items()} if isinstance(shown, Withheld) else members


def withheld_identity(obj: ResourceInstanceObject, type_name: str) -> Mapping[str, Partial]:
    """Return the identity of an object by name, undecoded, with a Withheld for each part that `show` hides.

    These are the parts that are sensitive as attributes, and members that are secrets by name or shape. The last of
    repeated members counts. Returns no members without an identity, or for one that is not an object.
    """
    raw = obj.identity
    if raw is None or memoryview(raw)[0] != ord("{"):
        return {}
    members = _members(raw)
    shown = hide(raw, sensitive_paths(obj), Withheld, identity_steps(obj, type_name))
    parts = shown if isinstance(shown, dict) else members
    is_hidden = isinstance(shown, Withheld)
    return {name: Withheld(members[name]) if is_hidden or sounds_secret(name) else part for name, part in parts.items()}


def withheld_output(output: OutputValue) -> Partial:
    """Return the value of an output, undecoded, with a Withheld for each part that is hidden."""
    raw = Raw(output.value)
    return Withheld(raw) if output.sensitive else hide(raw, (), Withheld, output_steps(output))


def member_value(part: Partial) -> JSONValue:
    """Decode a member, with dynamic values unwrapped. Raises ValueError if it is nested too deeply."""
    return decoded(unwrapped(part))


def withheld_paths(part: Partial, steps: Sequence[str | int] = ()) -> list[tuple[str | int, ...]]:
    """Return the paths of the withheld parts of a member, each with `steps` before it."""
    found: list[tuple[str | int, ...]] = []
    _add_paths(unwrapped(part), tuple(steps), found)
    return found


def _add_paths(part: Partial, steps: tuple[str | int, ...], found: list[tuple[str | int, ...]]) -> None:
    if isinstance(part, Withheld):
        found.append(steps)
    elif isinstance(part, list):
        for place, item in enumerate(part):
            _add_paths(item, (*steps, place), found)
    elif isinstance(part, (dict, Members)):
        for name, item in dict(part).items():
            _add_paths(item, (*steps, name), found)


def _members(raw: Raw) -> Mapping[str, Raw]:
    try:
        return object_members(raw)
    except RecursionError:
        # One member is nested more deeply than msgspec reads; the others are still readable.
        text = bytes(raw)
        return {item.name: Raw(text[item.value.start : item.value.end]) for item in container_at(text).items}


def _flat_members(obj: ResourceInstanceObject, type_name: str) -> Mapping[str, Partial]:
    flat = obj.attributes_flat or {}
    return {
        name: Withheld(Raw(encode_string(flat[name]))) if isinstance(shown, Hidden) else shown
        for name, shown in shown_flat(obj, type_name)
    }
