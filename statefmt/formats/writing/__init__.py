"""Writes the canonical text of a snapshot, OpenTofu's form byte for byte, and compares a file with it.

All content comes from one tree of JSON, which `write.py` uses, too, to make few changes to a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import chain, tee
from operator import le
from typing import Final, TypeAlias, TypeVar

import msgspec
from msgspec import Raw

from statefmt.formats import INDENTED, Layout, Style
from statefmt.golang import compact, encode_string, escape_html, indent
from statefmt.model.addrs import NO_KEY, ConfigResource, InstanceKey, instance_file_order, resource_file_order
from statefmt.model.provider_binding import Lowered, lower
from statefmt.model.snapshot import (
    KNOWN_STATUSES,
    CheckResult,
    ObjectStatus,
    OutputValue,
    ResourceInstanceObject,
    ResourceState,
    Snapshot,
    UnknownMember,
)

_P = TypeVar("_P")

# Objects or outputs per piece: enough to make a piece cheap, few enough for the processor's cache.
_BATCH: Final = 16
# Attributes count as one further object for each so many bytes.
_LONG: Final = 1 << 14
# The depth of the members of each kind of object.
_TOP, _OUTPUT, _RESOURCE, _OBJECT = 1, 2, 3, 5


def canonical(snapshot: Snapshot, style: Style = INDENTED, *, keep_unknown: bool = False) -> bytes:
    """Return the canonical text of a snapshot, in one of the styles that OpenTofu writes.

    `keep_unknown` keeps members unknown to statetool; OpenTofu would drop them.
    """
    text = BytesIO()
    text.writelines(canonical_pieces(snapshot, style, keep_unknown=keep_unknown))
    return text.getvalue()


def canonical_pieces(snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> Iterator[bytes]:
    """Yield the canonical text piece by piece, for callers that need not hold all of it."""
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
    # Keys in a canonical file are in order; sorting would keep all of them in memory.
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
        """Return the text between the brackets of an array or object; `depth` is the depth of its contents."""
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
                yield chain([self.values({name: 0}, depth)[:-1]], long[name])
            else:
                yield [self.values({name: tree}, depth)]

    def _bracketed(self, entries: Iterable[Texts], depth: int, brackets: bytes) -> Iterator[bytes]:
        line, last_line = (b"\n" + b"  " * depth, b"\n" + b"  " * (depth - 1)) if self._is_indented else (b"", b"")
        lead = brackets[:1]
        for texts in entries:
            yield lead + line
            yield from texts
            lead = b","
        yield last_line + brackets[1:] if lead == b"," else brackets


def is_canonical(data: bytes, snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> bool:
    """Return whether `data` equals the result of `canonical`; faster and with less memory for large states."""
    same, other = _same(data, canonical_pieces(snapshot, style, keep_unknown=keep_unknown))
    return other is None and same == len(data)


def made_canonical(data: bytes, snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> bytes:
    """Return the result of `canonical`; `data` itself if it is canonical already."""
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
    """Return the length of the common prefix of `data` and the text in whole pieces, and the first differing piece."""
    position = 0
    for piece in pieces:
        if not data.startswith(piece, position):
            return position, piece
        position += len(piece)
    return position, None


Leaf: TypeAlias = str | int | Raw
Tree: TypeAlias = "Leaf | Mapping[str, Tree] | Sequence[Tree]"

_NULL = Raw(b"null")
_NO_PATHS = Raw(b"[]")
_READY: Final = ObjectStatus.READY
# Size of the cache of printed dependencies, of which many objects name the same.
_KEPT: Final = 65536


class TreeBuilder:
    """A builder of trees, with or without members unknown to statetool.

    With `keep_unknown`, unknown members follow the same known member as in the file, and check results of unknown
    kind or status stay as they are; otherwise they are omitted, as by OpenTofu.
    """

    def __init__(self, *, keep_unknown: bool) -> None:
        self._keep_unknown = keep_unknown

    def document(self, snapshot: Snapshot) -> Mapping[str, Tree]:
        """Return the members of the document, with empty values for the large ones: outputs and resources."""
        members: dict[str, Tree] = {
            **self.envelope(snapshot),
            "outputs": {},
            "resources": [],
            "check_results": self.check_results(snapshot.check_results),
        }
        return self._with_unknown(members, snapshot.unknown)

    def envelope(self, snapshot: Snapshot) -> dict[str, Leaf]:
        """Return the scalar members of the document."""
        return {
            "version": 4,
            "terraform_version": snapshot.terraform_version,
            "serial": snapshot.serial,
            "lineage": snapshot.lineage,
        }

    def output(self, output: OutputValue) -> dict[str, Tree]:
        members: dict[str, Tree] = {"value": Raw(output.value), "type": Raw(output.type)}
        if output.sensitive:
            members["sensitive"] = True
        if output.deprecated:
            members["deprecated"] = output.deprecated
        return self._with_unknown(members, output.unknown)

    def resource(self, resource: ResourceState) -> dict[str, Tree]:
        binding = lower(resource)
        objects = resource.objects if _in_order(resource.objects) else sorted(resource.objects, key=object_order)
        members = self.resource_head(resource, binding)
        members["instances"] = [self.object(obj, binding.instance_level) for obj in objects]
        return self._with_unknown(members, resource.unknown) if resource.unknown else members

    def resource_head(self, resource: ResourceState, binding: Lowered) -> dict[str, Tree]:
        """Return the members of a resource that precede its instances."""
        module, mode, type_, name = resource_file_order(resource.addr)
        members: dict[str, Tree] = {"module": module} if module else {}
        members["mode"] = mode
        members["type"] = type_
        members["name"] = name
        if binding.resource_level:
            members["provider"] = binding.resource_level
        return members

    def object(self, obj: ResourceInstanceObject, providers: Mapping[InstanceKey, str]) -> dict[str, Tree]:
        """Return an instance object; `providers` has its `provider` by provider key, if that is written here."""
        members: dict[str, Tree] = {}
        if obj.key is not NO_KEY:
            members["index_key"] = obj.key.value
        if obj.status is not _READY:
            members["status"] = obj.status.value
        if obj.deposed:
            members["deposed"] = obj.deposed
        if providers:
            members["provider"] = providers[obj.provider_key]
        members["schema_version"] = obj.schema_version
        if obj.attributes is not None:
            members["attributes"] = obj.attributes
        if obj.attributes_flat:
            flat, names = obj.attributes_flat, sorted(obj.attributes_flat)
            members["attributes_flat"] = dict(flat) if names == list(flat) else {name: flat[name] for name in names}
        paths = obj.sensitive_attributes
        members["sensitive_attributes"] = _NO_PATHS if paths == b"[]" else Raw(paths)
        if obj.private:
            members["private"] = obj.private
        if obj.dependencies:
            members["dependencies"] = _dependency_texts(obj.dependencies)
        if obj.depends_on:
            members["depends_on"] = [str(dependency) for dependency in obj.depends_on]
        if obj.create_before_destroy:
            members["create_before_destroy"] = True
        if obj.skip_destroy:
            members["skip_destroy"] = True
        if obj.identity is not None:
            members["identity"] = obj.identity
        if obj.identity_schema_version is not None:
            members["identity_schema_version"] = obj.identity_schema_version
        return self._with_unknown(members, obj.unknown) if obj.unknown else members

    def check_results(self, results: Sequence[CheckResult]) -> Tree:
        kept = [result for result in results if result.known_kind or self._keep_unknown]
        return [self._check_result(result) for result in kept] or _NULL

    def _check_result(self, result: CheckResult) -> dict[str, Tree]:
        objects: list[Tree] = []
        for obj in result.objects:
            parts: dict[str, Tree] = {"object_addr": obj.object_addr, "status": self._check_status(obj.status)}
            if obj.failure_messages:
                parts["failure_messages"] = obj.failure_messages
            objects.append(self._with_unknown(parts, obj.unknown))
        members: dict[str, Tree] = {
            "object_kind": result.object_kind,
            "config_addr": result.config_addr,
            "status": self._check_status(result.status),
            "objects": objects or _NULL,
        }
        return self._with_unknown(members, result.unknown)

    def _check_status(self, status: str) -> str:
        return status if status in KNOWN_STATUSES or (self._keep_unknown and status) else "unknown"

    def _with_unknown(self, members: dict[str, Tree], unknown: tuple[UnknownMember, ...]) -> dict[str, Tree]:
        """Return the members with the unknown ones, each after its predecessor in the file."""
        if not unknown or not self._keep_unknown:
            return members
        placed: dict[str, Tree] = {name: raw for name, raw, after in unknown if not after}
        for known, tree in members.items():
            placed[known] = tree
            placed |= {name: raw for name, raw, after in unknown if after == known}
        # Members whose predecessor is not written (`each`, an empty list) go last.
        return placed | {name: raw for name, raw, after in unknown if after and after not in members}


@lru_cache(maxsize=4096)
def _dependency_texts(dependencies: tuple[ConfigResource, ...]) -> tuple[str, ...]:
    """Format dependencies; cached because instances of a resource and its neighbours often share them."""
    return tuple(map(_dependency_text, dependencies))


_dependency_text = lru_cache(maxsize=_KEPT)(str)


def _in_order(objects: Sequence[ResourceInstanceObject]) -> bool:
    """Return whether objects are certainly in order: a single one, or current ones with rising keys of one kind."""
    if len(objects) < 2:
        return True
    key = objects[0].key
    if objects[0].deposed or key is NO_KEY:
        return False
    kind, last = type(key), key.value
    for obj in objects[1:]:
        key = obj.key
        if obj.deposed or type(key) is not kind or key.value <= last:  # type: ignore[operator] # both of one kind
            return False
        last = key.value
    return True


def object_order(obj: ResourceInstanceObject) -> tuple[object, str]:
    """Return the sort key of an object among the `instances` of a resource in a file."""
    return instance_file_order(obj.key), obj.deposed


def encode_tree(tree: Tree) -> bytes:
    """Encode a tree as compact JSON, except for white space in raw text, and before `golang.escape_html`."""
    try:
        return msgspec.json.encode(tree)
    except (UnicodeEncodeError, OverflowError):
        # A lone surrogate, which Go replaces, or a number beyond 64 bits; no state that was read has either.
        return _encode_slowly(tree)


def _encode_slowly(tree: Tree) -> bytes:
    if isinstance(tree, Raw):
        return bytes(tree)
    if isinstance(tree, str):
        return encode_string(tree)
    if isinstance(tree, bool):
        return b"true" if tree else b"false"
    if isinstance(tree, int):
        return b"%d" % tree
    if isinstance(tree, Mapping):
        members = (encode_string(name) + b":" + _encode_slowly(member) for name, member in tree.items())
        return b"{%b}" % b",".join(members)
    return b"[%b]" % b",".join(map(_encode_slowly, tree))
