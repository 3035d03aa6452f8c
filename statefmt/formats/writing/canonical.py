"""Writes the canonical text of a snapshot, OpenTofu's form byte for byte, and compares a file with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import tee
from operator import le
from typing import Final, TypeAlias, TypeVar

from statefmt.formats import INDENTED, Layout, Style
from statefmt.formats.writing import Tree, TreeBuilder, encode_tree
from statefmt.golang import compact, escape_html, indent
from statefmt.model.addrs import resource_file_order
from statefmt.model.snapshot import OutputValue, ResourceState, Snapshot

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


# The pieces of a text.
Texts: TypeAlias = Iterable[bytes]


class PieceWriter:
    """A writer of canonical text in one layout. A depth is the number of arrays and objects around a value."""

    def __init__(self, layout: Layout) -> None:
        self._is_indented = layout is Layout.INDENT

    def values(self, values: Sequence[Tree] | Mapping[str, Tree], depth: int) -> bytes:
        """Return the text between the brackets of an array or object; `depth` is that of its elements or members."""
        tree: Tree = values
        for _ in range(depth - 1):
            tree = [tree]
        text = escape_html(encode_tree(tree))
        if not self._is_indented:
            return compact(text)[depth:-depth]
        # Each bracket around the values has a line of its own: "[\n  [\n    " and "\n  ]\n]" at a depth of 2.
        return indent(text)[depth * (depth + 3) : -depth * (depth + 1)]

    def array(self, entries: Iterable[Texts], depth: int) -> Iterator[bytes]:
        """Yield an array of elements with that depth; each entry is the text of one or more of them."""
        return self._bracketed(entries, depth, b"[]")

    def object(self, entries: Iterable[Texts], depth: int) -> Iterator[bytes]:
        """Yield an object of members with that depth; each entry is the text of one or more of them."""
        return self._bracketed(entries, depth, b"{}")

    def members(self, members: Mapping[str, Tree], long: Mapping[str, Texts], depth: int) -> Iterator[Texts]:
        """Yield the entries of an object; the values of the members in `long` are given as text."""
        for name, tree in members.items():
            if name in long:
                yield self._long_member(name, long[name], depth)
            else:
                yield [self.values({name: tree}, depth)]

    def _long_member(self, name: str, texts: Texts, depth: int) -> Iterator[bytes]:
        yield self.values({name: 0}, depth)[:-1]
        yield from texts

    def _bracketed(self, entries: Iterable[Texts], depth: int, brackets: bytes) -> Iterator[bytes]:
        line, last_line = (b"\n" + b"  " * depth, b"\n" + b"  " * (depth - 1)) if self._is_indented else (b"", b"")
        lead = brackets[:1]
        for texts in entries:
            yield lead + line
            yield from texts
            lead = b","
        yield last_line + brackets[1:] if lead == b"," else brackets


def is_canonical(data: bytes, snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> bool:
    """Return whether `data` is what `canonical` returns; for large states in half the time and without the memory."""
    same, other = _same(data, canonical_pieces(snapshot, style, keep_unknown=keep_unknown))
    return other is None and same == len(data)


def made_canonical(data: bytes, snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> bytes:
    """Return what `canonical` returns; `data` itself if it is canonical already."""
    pieces = canonical_pieces(snapshot, style, keep_unknown=keep_unknown)
    same, other = _same(data, pieces)
    if other is None and same == len(data):
        return data
    text = BytesIO()
    text.write(memoryview(data)[:same])
    text.write(other or b"")
    text.writelines(pieces)
    return text.getvalue()


def _same(data: bytes, pieces: Iterator[bytes]) -> tuple[int, bytes | None]:
    """Return how many bytes the text and `data` have in common, in whole pieces, and the first piece that differs."""
    position = 0
    for piece in pieces:
        if not data.startswith(piece, position):
            return position, piece
        position += len(piece)
    return position, None
