"""Names the member of the format that a JSON pointer leads to, as the specification in `docs/format` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import GenericAlias, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from statefmt.formats.versions.legacy import StateV1
from statefmt.formats.versions.legacy_v3 import StateV3
from statefmt.formats.versions.v4 import FormatObject, StateV4


def member_at(pointer: str) -> tuple[str, ...]:
    """Return the names on the way to what a pointer leads to: `/resources/3/type` gives `("resources", "type")`.

    Positions in lists and names in maps are left out. The names end where the format ends: at values that belong to
    providers, and at unknown members. "" gives ().
    """
    tokens = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    if not tokens or tokens[0] in StateV4.__struct_fields__:
        return _names(tokens, StateV4)
    return max(_names(tokens, StateV3), _names(tokens, StateV1), key=len)


def anchor(member: Sequence[str]) -> str:
    """Return the anchor of a member's section: `member-resources-type`; "" for the whole document."""
    return "-".join(("member", *member)) if member else ""


def _names(tokens: Sequence[str], document: type[FormatObject]) -> tuple[str, ...]:
    names: list[str] = []
    inside: Any = document
    for name in tokens:
        members, elements = _inside(inside)
        if name in members:
            names.append(name)
            inside = members[name]
        elif elements is not None:
            inside = elements
        else:
            break
    return tuple(names)


@cache
def _inside(given: Any) -> tuple[Mapping[str, Any], Any]:
    """Return the members of an object of the format with their types, and the type of the elements of a list or map."""
    if isinstance(given, type) and issubclass(given, FormatObject):
        types = get_type_hints(given)
        return {name: _without_none(types[name]) for name in given.__struct_fields__ if name != "unknown"}, None
    if get_origin(given) in (list, dict):
        return {}, _without_none(get_args(given)[-1])
    return {}, None


def _without_none(given: Any) -> Any:
    """Return the list, map or object of an optional type; another type as it is."""
    if not isinstance(given, UnionType):
        return given
    return next((part for part in get_args(given) if _holds_members(part)), given)


def _holds_members(part: Any) -> bool:
    return isinstance(part, GenericAlias) or (isinstance(part, type) and issubclass(part, FormatObject))
