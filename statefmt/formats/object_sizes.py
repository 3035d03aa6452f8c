"""Measures the size of each instance object in its file, without decoding its contents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from statefmt.formats.raw_json import starts_with
from statefmt.formats.versions import array_elements, object_members
from statefmt.formats.writing import Tree, TreeBuilder, encode_tree
from statefmt.golang import fold_name
from statefmt.model.snapshot import Snapshot

_TREES: Final = TreeBuilder(keep_unknown=True)
_NOTHING: Final = Raw(b"")
_DEPENDENCIES: Final = ("dependencies", "depends_on")


class ObjectSize(NamedTuple):
    """A size in bytes: of an object's JSON text, and of the dependencies in it; white space inside counts."""

    whole: int
    dependencies: int


class _Block(Struct):
    instances: list[Raw] | None = None


class _Document(Struct):
    resources: list[_Block | None] | None = None


class _Dependencies(Struct):
    dependencies: Raw = _NOTHING
    depends_on: Raw = _NOTHING


_DECODER: Final = msgspec.json.Decoder(_Dependencies)


def object_sizes(snapshot: Snapshot) -> dict[tuple[int, int], ObjectSize]:
    """Return the size of each object in the file, by its `origin`.

    Objects of an older format get the size of their compact text in format 4.
    """
    objects = [obj for resource in snapshot.resources for obj in resource.objects if obj.origin is not None]
    if snapshot.source is None:
        return {obj.origin: _size_of_tree(_TREES.object(obj, {})) for obj in objects if obj.origin is not None}
    blocks = _blocks(snapshot.source.data, len(objects))
    sizes = {}
    # Many objects have the same size.
    known: dict[ObjectSize, ObjectSize] = {}
    for obj in objects:
        if obj.origin is not None:
            text = blocks[obj.origin[0]][obj.origin[1]]
            size = ObjectSize(len(text), _dependencies(text) if obj.dependencies or obj.depends_on else 0)
            sizes[obj.origin] = known.setdefault(size, size)
    return sizes


def _size_of_tree(members: Mapping[str, Tree]) -> ObjectSize:
    taken = sum(len(encode_tree(members[name])) for name in _DEPENDENCIES if name in members)
    return ObjectSize(len(encode_tree(members)), taken)


def _blocks(data: bytes, objects: int) -> Sequence[Sequence[Raw]]:
    """Return the raw text of all objects, block by block; `objects` is their expected number."""
    try:
        document = msgspec.json.decode(data, type=_Document)
    except (msgspec.DecodeError, UnicodeDecodeError):
        document = _Document()
    blocks = [block.instances or [] if block else [] for block in document.resources or ()]
    if sum(map(len, blocks)) == objects:
        return blocks
    # msgspec rejects half a surrogate pair and matches names exactly; Go accepts the former and ignores case.
    return [_elements(_members(block), "instances") for block in _elements(object_members(data), "resources")]


def _dependencies(text: Raw) -> int:
    try:
        found = _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        found = _Dependencies()
    taken = len(found.dependencies) + len(found.depends_on)
    if taken:
        return taken
    members = _members(text)
    return sum(len(_find(members, name) or _NOTHING) for name in _DEPENDENCIES)


def _members(raw: Raw) -> dict[str, Raw]:
    """Return the members of an object; null counts as an empty object."""
    return {} if starts_with(raw, b"null") else object_members(raw)


def _elements(members: dict[str, Raw], name: str) -> list[Raw]:
    found = _find(members, name)
    return [] if found is None or starts_with(found, b"null") else array_elements(found)


def _find(members: dict[str, Raw], name: str) -> Raw | None:
    """Return the last member with that name, ignoring case, as Go does."""
    return next((raw for other, raw in reversed(members.items()) if fold_name(other) == name), None)
