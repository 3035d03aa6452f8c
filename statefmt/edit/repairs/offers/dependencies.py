"""Offers choices for dependencies that cannot be parsed or lead to nothing (DEP001, DEP002)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.edit.repairs.offers._parts import removal, replacement, string
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import encode_string
from statefmt.model.addrs.parsing import parse_abs_resource, parse_abs_resource_instance
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.model.findings import Finding

_DEPENDS_ON: Final = "depends_on"


def invalid_dependency_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the resource without an instance key, or drop the dependency."""
    resource = _resource(state.string(path))
    if resource and _DEPENDS_ON not in path:
        yield replacement(path, encode_string(resource), "resource", f"depend on the whole resource, {resource}")
    check = parse_abs_resource_instance if _DEPENDS_ON in path else parse_abs_resource
    yield string(path, "address", "ADDRESS", "depend on this instead", check)
    yield removal(path, "drop the dependency; the next apply writes those of the configuration")


def dangling_dependency_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Drop the entries of the resource's objects, or let them name another resource."""
    mentions = state.once(_mentions, path).get(_target(state.string(path)), [path])
    number = f"{len(mentions)} {'entry' if len(mentions) == 1 else 'entries'}"

    def renamed(given: str) -> dict[JsonPath, bytes | None]:
        try:
            parse_abs_resource(given)
        except AddressError as error:
            raise SurgeryError(f"{given!r} is not valid here: {error}") from error
        return {place: encode_string(given) for place in mentions}

    yield Choice(
        "remove", f"drop {number}; the next apply writes those of the configuration", lambda _: dict.fromkeys(mentions)
    )
    yield Choice("address", f"depend on this instead, in {number}", renamed, "ADDRESS")


def _mentions(state: LooseState, resource: JsonPath) -> Mapping[str, Sequence[JsonPath]]:
    """Return the places of the dependencies of a resource by what they lead to, without keys."""
    found: dict[str, list[JsonPath]] = {}
    for one in state.objects(resource):
        for member in ("dependencies", _DEPENDS_ON):
            for place in state.parts((*one.path, member)):
                found.setdefault(_target(state.string(place)), []).append(place)
    return found


def _target(text: str) -> str:
    try:
        return str(parse_abs_resource_instance(text).config())
    except AddressError:
        return text


def _resource(text: str) -> str:
    try:
        return str(parse_abs_resource_instance(text).containing_resource())
    except AddressError:
        return ""
