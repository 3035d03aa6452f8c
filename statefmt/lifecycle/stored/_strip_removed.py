"""Drops attributes that a schema does not have. Source: OpenTofu `stripRemovedStateAttributes`."""

from __future__ import annotations

from statefmt.golang import JSONValue, Members, encode_value, loads_exact
from statefmt.model.cty import ListType, MapType, ObjectType, SetType, Type


def strip_removed(attributes: bytes, of: Type) -> bytes:
    """Return attributes, as JSON, without those that the type does not have; the same bytes if there are none.

    Only JSON objects are stripped, and nothing within tuples and dynamic values. As OpenTofu encodes a stripped object
    anew, its numbers then pass through float64: 9007199254740993 becomes 9007199254740992. What is not valid, out of
    that range or nested too deeply stays as it is, for decoding to refuse.
    """
    try:
        node = loads_exact(attributes, replace_invalid=True)
        if not isinstance(node, Members):
            return attributes
        stripped = _strip(node, of)
        if stripped is node:
            return attributes
        # OpenTofu refuses a number out of range in an attribute that it drops, too.
        encode_value(node)
        return encode_value(stripped)
    except (ValueError, RecursionError):
        return attributes


def _strip(node: JSONValue, of: Type) -> JSONValue:
    """Return the node itself if nothing in it changes."""
    if isinstance(node, list) and isinstance(of, (ListType, SetType)):
        items = [_strip(item, of.element) for item in node]
        return items if any(new is not old for new, old in zip(items, node, strict=True)) else node
    if not isinstance(node, Members) or not isinstance(of, (MapType, ObjectType)):
        return node
    members: list[tuple[str, JSONValue]] = []
    changed = False
    # The last of several members with one name counts.
    for name, item in dict(node).items():
        wanted = of.element if isinstance(of, MapType) else of.attributes.get(name)
        new = item if wanted is None else _strip(item, wanted)
        changed = changed or wanted is None or new is not item
        if wanted is not None:
            members.append((name, new))
    return Members(members) if changed else node
