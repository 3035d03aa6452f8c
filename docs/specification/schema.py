"""Lists the members of a format version, as its schema describes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from statefmt.formats.versions.structure import anchor
from statefmt.schema_problems import schema_text

Schema: TypeAlias = Mapping[str, Any]

_PLURALS: Final = {"string": "strings", "object": "objects", "array": "arrays"}


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object of the format.

    `path` has the names from the top down, without positions in lists and names in maps; `notation` shows these, too:
    `resources[].instances[].provider`. `type` and `description` are for people. `like` is the path of a member that was
    described before, if this one is in an object of the same kind.
    """

    path: tuple[str, ...]
    notation: str
    type: str
    required: bool
    description: str
    like: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The anchor of its section."""
        return anchor(self.path)


@cache
def document(name: str) -> Schema:
    """Return a schema: `state-v4` or `encrypted-state`."""
    schema: Schema = json.loads(schema_text(name))
    return schema


@cache
def members(name: str) -> Mapping[tuple[str, ...], Member]:
    """Return the members of a format by their paths, in the order of the schema, which is that of canonical form."""
    schema = document(name)
    return {member.path: member for member in _below(schema, schema, (), "", {})}


def _below(
    node: Schema, root: Schema, path: tuple[str, ...], notation: str, seen: dict[str, tuple[str, ...]]
) -> Iterator[Member]:
    base = _base(node, root)
    kind = node.get("title", "")
    first = seen.setdefault(kind, path)
    required = {*node.get("required", ()), *base.get("required", ())}
    for name, given in node.get("properties", {}).items():
        member = {**base.get("properties", {}).get(name, {}), **given}
        here = (*path, name)
        shown = f"{notation}.{name}" if notation else name
        like = (*first, name) if first != path else ()
        yield Member(here, shown, _type(member, root), name in required, member["description"], like)
        inner, suffix = _resolved(member, root), ""
        while "items" in inner or isinstance(inner.get("additionalProperties"), dict):
            suffix += "[]" if "items" in inner else ".NAME"
            following = _resolved(inner.get("items") or inner["additionalProperties"], root)
            if following == inner:
                break  # A value of any depth.
            inner = following
        if "properties" in inner:
            yield from _below(inner, root, here, shown + suffix, seen)


def _base(node: Schema, root: Schema) -> Schema:
    """Return the part that a schema extends by `allOf`."""
    parts = [_resolved(part, root) for part in node.get("allOf", ()) if "$ref" in part]
    return parts[0] if parts else {}


def _resolved(node: Schema, root: Schema) -> Schema:
    if "$ref" not in node:
        return node
    target: Schema = root["$defs"][node["$ref"].rpartition("/")[2]]
    return {**target, **{name: value for name, value in node.items() if name != "$ref"}}


def _type(member: Schema, root: Schema) -> str:
    """Describe the values that a member may have."""
    node = _resolved(member, root)
    kinds = node.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if "const" in node:
        return f"`{json.dumps(node['const'])}`"
    if "enum" in node:
        return _either([f"`{json.dumps(value)}`" for value in node["enum"]])
    if not kinds:
        return "type description" if "oneOf" in node else "any JSON value"
    return _either([_kind(kind, node, root) for kind in kinds])


def _kind(kind: str, node: Schema, root: Schema) -> str:
    if kind == "string" and node.get("contentEncoding") == "base64":
        return "string in base64"
    if kind == "array" and node.get("contentEncoding") == "base64":
        return "array of bytes"
    if kind == "array" and "items" in node:
        return f"array of {_elements(node['items'], root)}"
    if kind == "object" and isinstance(node.get("additionalProperties"), dict):
        return f"object of {_elements(node['additionalProperties'], root)} by name"
    if kind == "integer":
        return f"integer from {_number(node['minimum'])} to {_number(node['maximum'])}"
    return kind


def _number(number: int) -> str:
    """Return a number as people know it: 2^63-1."""
    bits = abs(number + (number > 0)).bit_length() - 1
    return str(number) if bits < 16 else f"{'-' if number < 0 else ''}2^{bits}{'-1' if number > 0 else ''}"


def _either(kinds: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))


def _elements(node: Schema, root: Schema) -> str:
    node = _resolved(node, root)
    kinds = node.get("type", ())
    kind = kinds if isinstance(kinds, str) else next(iter(kinds), "object" if "properties" in node else "")
    return _PLURALS.get(kind, "any JSON values")
