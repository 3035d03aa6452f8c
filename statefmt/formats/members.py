"""Names the member of the format that a JSON pointer leads to, as the specification in `docs/format` does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import GenericAlias, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from statefmt.formats.versions.legacy import StateV1, StateV3
from statefmt.formats.versions.v4 import FormatObject, StateV4


def member_at(pointer: str) -> tuple[str, ...]:
    """Return the names on the way to what a pointer leads to: `/resources/3/type` gives `("resources", "type")`.

    Positions in lists and names in maps are left out. The names end where the format ends: at values that belong to
    providers, and at unknown members. "" gives ().
    """
    tokens = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    return max((_names(tokens, document) for document in (StateV4, StateV3, StateV1)), key=len)


def anchor(member: Sequence[str]) -> str:
    """Return the anchor of a member's section: `member-resources-type`; "" for the whole document."""
    return "-".join(("member", *member)) if member else ""


def _names(tokens: Sequence[str], document: type[FormatObject]) -> tuple[str, ...]:
    names: list[str] = []
    inside: Any = document
    for token in tokens:
        if isinstance(inside, type) and issubclass(inside, FormatObject):
            if token not in inside.__struct_fields__ or token == "unknown":
                break
            names.append(token)
            inside = _types(inside)[token]
        elif get_origin(inside) in (list, dict):
            inside = _without_none(get_args(inside)[-1])
        else:
            break
    return tuple(names)


@cache
def _types(document: type[FormatObject]) -> dict[str, Any]:
    return {name: _without_none(given) for name, given in get_type_hints(document).items()}


def _without_none(given: Any) -> Any:
    """Return the list, map or object of an optional type; another type as it is."""
    if not isinstance(given, UnionType):
        return given
    return next((part for part in get_args(given) if _holds_members(part)), given)


def _holds_members(part: Any) -> bool:
    return isinstance(part, GenericAlias) or (isinstance(part, type) and issubclass(part, FormatObject))
