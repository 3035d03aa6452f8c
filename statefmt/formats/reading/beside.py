"""Reads a state that shares most of its resources with a state read before, such as another version of it.

Equal bytes have equal meaning, so shared resources are taken from the other state, and the file is read without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.formats import style_of
from statefmt.formats.raw_json import container_at, member_at, skip_space, value_end
from statefmt.formats.reading import CURRENT_VERSION, ReadResult, read
from statefmt.formats.versions import collector_paused
from statefmt.golang import fold_name
from statefmt.model.errors import StateError
from statefmt.model.snapshot import ResourceState, Source
from statefmt.text import pattern

_COMMA: Final = pattern(rb"[ \t\r\n]*,[ \t\r\n]*")
# The name of a resource precedes its provider, within this many bytes unless its module path is long.
_HEAD: Final = 512
_AFTER_NAME: Final = b'"provider"'


class _Blocks(Struct, gc=False):
    """A state of which only `resources` is decoded."""

    resources: list[Raw]


class _Shared(NamedTuple):
    """A file without its shared blocks; `places` has the index of the equal block in the other file for each."""

    rest: bytes
    places: list[int | None]


def read_beside(data: bytes, other: ReadResult) -> ReadResult:
    """Return or raise the same as `read(data)`, but faster if the other state has most of the same resources."""
    with collector_paused():
        return _read_beside(data, other) or read(data, as_terraform=True)


def _read_beside(data: bytes, other: ReadResult) -> ReadResult | None:
    """Return the state; None if it needs the ordinary reader, which reports problems with their positions."""
    source, known = other.snapshot.source, other.snapshot.resources
    if source is None or other.findings:
        return None
    try:
        # Without findings, each block is one resource.
        blocks = msgspec.json.decode(source.data, type=_Blocks).resources
        shared = _shared(data, blocks)
        if shared is None:
            return None
        # OpenTofu merges several lists, whatever the case of their names.
        if [fold_name(item.name) for item in container_at(shared.rest).items].count("resources") != 1:
            return None
        found = read(shared.rest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError, StateError):
        return None
    if found.findings or found.version != CURRENT_VERSION or len(found.snapshot.resources) != shared.places.count(None):
        return None
    left = iter(found.snapshot.resources)
    resources = tuple(
        [_at(number, next(left) if place is None else known[place]) for number, place in enumerate(shared.places)]
    )
    if len({resource.addr for resource in resources}) < len(resources):
        return None
    snapshot = replace(found.snapshot, resources=resources, source=None)
    return ReadResult(replace(snapshot, source=Source(data, snapshot)), (), CURRENT_VERSION, style_of(data))


def _shared(data: bytes, others: Sequence[Raw]) -> _Shared | None:
    """Compare the blocks of a file with others; None if less than half of it is shared."""
    position = start = skip_space(data, _list_of_resources(data) + 1)
    counterparts = _Counterparts(others)
    places: list[int | None] = []
    rest: list[bytes] = []
    room = len(data) // 2
    expected, comma = 0, b","
    while True:
        place: int | None = expected
        # A block is a whole JSON value: no longer value starts with the same bytes.
        if expected >= len(others) or not data.startswith(others[expected], position):
            place = counterparts.find(data[position : position + _HEAD], expected)
            # Without a counterpart, it was inserted before the expected one.
            expected = expected - 1 if place is None else place
            if place is not None and not data.startswith(others[place], position):
                place = None
        places.append(place)
        expected += 1
        if place is not None:
            position += len(others[place])
        else:
            end = value_end(data, position)
            rest.append(data[position:end])
            room -= end - position
            if room < 0:
                return None
            position = end
        if data.startswith(comma, position) and data.startswith(b"{", position + len(comma)):
            position += len(comma)
        elif match := _COMMA.match(data, position):
            comma = match[0]
            position = match.end()
        elif not data.startswith(b"]", skip_space(data, position)):
            return None
        else:
            return _Shared(b"".join((data[:start], b",".join(rest), data[position:])), places)


class _Counterparts:
    """Finds the blocks of the same resources, by the text before their providers."""

    def __init__(self, blocks: Sequence[Raw]) -> None:
        self._blocks = blocks

    def find(self, text: bytes, expected: int) -> int | None:
        """Return the index of the block of the resource whose block starts with `text`; most often `expected`."""
        head = _head(text)
        if expected < len(self._blocks) and _head(self._blocks[expected]) == head:
            return expected
        return self._places.get(head)

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {_head(block): place for place, block in enumerate(self._blocks)}


def _head(block: bytes | Raw) -> bytes:
    return bytes(memoryview(block)[:_HEAD]).partition(_AFTER_NAME)[0]


def _list_of_resources(data: bytes) -> int:
    """Return where the list of the first member `resources` starts. Raises ValueError if there is none."""
    end, opening = 0, b"{"
    while True:
        position = skip_space(data, end)
        if not data.startswith(opening, position):
            raise ValueError("no list of resources")
        name, start = member_at(data, skip_space(data, position + 1))
        if name == "resources" and data.startswith(b"[", start):
            return start
        end, opening = value_end(data, start), b","


def _at(number: int, resource: ResourceState) -> ResourceState:
    """Return a resource as read from the block with this index."""
    if resource.origin == (number,):
        return resource
    objects = tuple([replace(obj, origin=(number, obj.origin[1])) if obj.origin else obj for obj in resource.objects])
    return replace(resource, objects=objects, origin=(number,))
