"""Writes the canonical text of a snapshot: OpenTofu's form, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import tee
from operator import le
from typing import Final, TypeVar

from statefmt.formats.style import INDENTED, Style
from statefmt.formats.writing._pieces import PieceWriter, Texts
from statefmt.formats.writing.tree import Tree, TreeBuilder
from statefmt.model.addrs import resource_file_order
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceState
from statefmt.model.snapshot import Snapshot

_P = TypeVar("_P")

# Objects or outputs per piece: enough to make a piece cheap, few enough for the processor's cache.
_BATCH: Final = 16
# Attributes count as one object more for each of so many bytes.
_LONG: Final = 1 << 14
# The depth of the members of each kind of object.
_TOP, _OUTPUT, _RESOURCE, _OBJECT = 1, 2, 3, 5


def canonical(snapshot: Snapshot, style: Style = INDENTED, *, keep_unknown: bool = False) -> bytes:
    """Return the canonical text of a snapshot, in one of the styles that OpenTofu writes.

    `keep_unknown` keeps what statetool does not know; OpenTofu would drop it.
    """
    text = BytesIO()
    text.writelines(canonical_pieces(snapshot, style, keep_unknown=keep_unknown))
    return text.getvalue()


def canonical_pieces(snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> Iterator[bytes]:
    """Yield the canonical text piece by piece, for those who need not keep all of it."""
    trees = TreeBuilder(keep_unknown=keep_unknown)
    write = PieceWriter(style.layout)
    long = {
        "outputs": write.object(_outputs(snapshot.outputs, trees, write), _OUTPUT),
        "resources": write.array(_resources(snapshot.resources, trees, write), _RESOURCE - 1),
    }
    yield from write.object(write.members(trees.document(snapshot), long, _TOP), _TOP)
    yield b"\n" * style.newlines


def _outputs(outputs: Sequence[OutputValue], trees: TreeBuilder, write: PieceWriter) -> Iterator[Texts]:
    members = {output.name: output for output in sorted(outputs, key=lambda output: output.name)}
    for batch in _batches(list(members.values())):
        yield [write.values({output.name: trees.output(output) for output in batch}, _OUTPUT)]


def _resources(resources: Sequence[ResourceState], trees: TreeBuilder, write: PieceWriter) -> Iterator[Texts]:
    waiting: list[Tree] = []
    objects = 0
    for resource in _in_file_order(resources):
        count = sum([1 + len(obj.attributes or b"") // _LONG for obj in resource.objects]) or 1
        if waiting and objects + count > _BATCH:
            yield [write.values(waiting, _RESOURCE - 1)]
            waiting, objects = [], 0
        if count > _BATCH:
            yield _large_resource(trees.resource(resource), write)
        else:
            waiting.append(trees.resource(resource))
            objects += count
    if waiting:
        yield [write.values(waiting, _RESOURCE - 1)]


def _in_file_order(resources: Sequence[ResourceState]) -> Sequence[ResourceState]:
    earlier, later = tee(resource_file_order(resource.addr) for resource in resources)
    next(later, None)
    # Those of a canonical file are; sorting would keep the keys of all in memory.
    if all(map(le, earlier, later)):
        return resources
    return sorted(resources, key=lambda resource: resource_file_order(resource.addr))


def _large_resource(tree: Mapping[str, Tree], write: PieceWriter) -> Texts:
    objects = tree["instances"]
    assert isinstance(objects, list)
    instances = ([write.values(batch, _OBJECT - 1)] for batch in _batches(objects))
    long = {"instances": write.array(instances, _OBJECT - 1)}
    return write.object(write.members(tree, long, _RESOURCE), _RESOURCE)


def _batches(parts: Sequence[_P]) -> Iterator[Sequence[_P]]:
    return (parts[start : start + _BATCH] for start in range(0, len(parts), _BATCH))
