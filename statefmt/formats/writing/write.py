"""Writes a snapshot as bytes of format version 4: canonical, or with the bytes of all unchanged parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from statefmt.formats import style_of
from statefmt.formats.raw_json import Container, RawItem, container_at
from statefmt.formats.writing import Tree, TreeBuilder, canonical, encode_tree, is_canonical, object_order
from statefmt.formats.writing.assemble import Assembler, Entry, arranged, value_pieces
from statefmt.golang import loads_exact
from statefmt.model.addrs import resource_file_order
from statefmt.model.provider_binding import Lowered, lower, same_provider
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot, Source, UnknownMember, not_among
from statefmt.pieces import Pieces, Span, joined, merged

_canonical = canonical


def write(snapshot: Snapshot, *, canonical: bool = True) -> bytes:
    """Return the bytes of a snapshot, always in format version 4.

    If `canonical`, as OpenTofu writes them: indented by two spaces, without the members that OpenTofu would drop.
    Otherwise, all parts unchanged since the snapshot was read keep their bytes, and the rest follows the style of the
    file; a snapshot of an older format is written in canonical form with all its members.
    """
    if canonical:
        return _canonical(snapshot)
    if snapshot.source is None:
        return _canonical(snapshot, keep_unknown=True)
    return splice(snapshot.source, snapshot)


def as_dict(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as the document of format version 4, decoded, with all its members and its secrets.

    Numbers are ints and floats. Use write() for text that other programs read exactly.
    """
    import json

    document: dict[str, Any] = json.loads(write(snapshot, canonical=False))
    return document


_TREES: Final = TreeBuilder(keep_unknown=True)
# The nesting depth of the members of each kind of object; the object itself is one level higher.
_TOP, _RESOURCE, _OBJECT = 1, 3, 5


def splice(source: Source, snapshot: Snapshot) -> bytes:
    """Return the text of a snapshot derived from `source`."""
    return joined(source.data, Splicer(source).pieces(snapshot))


class Splicer:
    """A splicer for snapshots derived from one source; it locates the blocks of the source only once."""

    def __init__(self, source: Source) -> None:
        self._data = source.data
        self._old = source.snapshot
        self._write = Assembler(source.data, style_of(source.data).layout)
        self._top = container_at(source.data)
        self._elements_of: dict[int, Sequence[RawItem]] = {}
        self._entries: dict[tuple[int | None, int], Entry[ResourceState]] = {}

    def pieces(self, new: Snapshot) -> Pieces:
        """Return the pieces of a snapshot's text: spans of the source's data, and new text."""
        return merged(self._document(new))

    def _document(self, new: Snapshot) -> Pieces:
        old = self._old
        changes = _changed(
            {**_TREES.envelope(old), **_unknown(old.unknown), "check_results": _TREES.check_results(old.check_results)},
            {**_TREES.envelope(new), **_unknown(new.unknown), "check_results": _TREES.check_results(new.check_results)},
        )
        edited: dict[str, Pieces | None] = self._texts(changes, _TOP)
        if new.outputs != old.outputs:
            outputs = _changed(
                {output.name: _TREES.output(output) for output in old.outputs},
                {output.name: _TREES.output(output) for output in new.outputs},
            )
            names = [output.name for output in new.outputs]
            texts = self._texts(outputs, _TOP + 1)
            edited["outputs"] = self._write.edited(self._member(self._top, "outputs"), texts, names, _TOP + 1)
        if new.resources != old.resources:
            edited["resources"] = self._resources(new)
        order = ["version", "terraform_version", "serial", "lineage", "outputs", "resources", "check_results"]
        return [
            Span(0, self._top.span.start),
            *self._write.edited(self._top, edited, order, _TOP),
            Span(self._top.span.end, len(self._data)),
        ]

    def _resources(self, new: Snapshot) -> Pieces:
        container = self._blocks
        gone = {number: old for old in not_among(self._old.resources, new.resources) for number in old.origin}
        come = not_among(new.resources, self._old.resources)
        kept = {resource.origin[0]: resource for resource in come if resource.origin}
        same = {number for resource in come for number in resource.origin if gone.get(number) == resource}
        edited = {
            number: self._entry(number, kept[number]) if number in kept else None
            for number in gone
            if number not in same
        }
        arriving = [self._entry(None, resource) for resource in come if not resource.origin]
        entries = arranged(
            container.items if container else (),
            lambda number: self._old_blocks[number],
            edited,
            arriving,
            lambda resource: resource_file_order(resource.addr),
            lambda: self._is_canonical,
        )
        return self._write.array(container, entries, _RESOURCE - 1)

    @cached_property
    def _old_blocks(self) -> Mapping[int, ResourceState]:
        return {number: resource for resource in self._old.resources for number in resource.origin}

    def _entry(self, number: int | None, resource: ResourceState) -> Entry[ResourceState]:
        """Return the block of a changed resource, in place of a block of the file or as an additional one.

        It is cached, because an edit and the checked part of it share it.
        """
        known = self._entries.get((number, id(resource)))
        if known is None:
            if number is None:
                known = Entry(resource, None, self._new_resource(resource))
            else:
                assert self._blocks is not None
                item = self._blocks.items[number]
                known = Entry(resource, item, self._resource(item.value, self._old_blocks[number], resource))
            self._entries[number, id(resource)] = known
        return known

    def _new_resource(self, resource: ResourceState) -> Pieces:
        """Return a block that is not in the file; its objects may be."""
        binding = lower(resource)
        tree = _TREES.resource(resource)
        if binding.resource_level:
            tree["provider"] = self._resource_level(resource, binding)
        edited: dict[str, Pieces | None] = self._texts(tree, _RESOURCE)
        objects = sorted(resource.objects, key=object_order)
        entries = [Entry(obj, None, self._arriving_object(obj, binding)) for obj in objects]
        edited["instances"] = self._write.array(None, entries, _OBJECT - 1)
        return self._write.edited(None, edited, list(tree), _RESOURCE)

    def _resource(self, block: Span, old: ResourceState, new: ResourceState) -> Pieces:
        if len(new.origin) > 1:
            # A resource that is split over several blocks becomes one block.
            return self._new_resource(new)
        container = container_at(self._data, block.start)
        binding = lower(new)
        changes = _changed(
            {**_TREES.resource_head(old, lower(old)), **_unknown(old.unknown)},
            {**_TREES.resource_head(new, binding), **_unknown(new.unknown)},
        )
        changes |= self._provider_change(container, self._resource_level(new, binding))
        edited = self._texts(changes, _RESOURCE)
        edited["instances"] = self._objects(container, old, new, binding)
        order = ["module", "mode", "type", "name", "each", "provider", "instances"]
        return self._write.edited(container, edited, order, _RESOURCE)

    def _objects(self, block: Container, old: ResourceState, new: ResourceState, binding: Lowered) -> Pieces:
        container = self._member(block, "instances")
        before = {obj.origin: obj for obj in old.objects}
        after = {obj.origin: obj for obj in new.objects if obj.origin}
        items: Sequence[RawItem] = container.items if container else ()
        edited: dict[int, Entry[ResourceInstanceObject] | None] = {}
        for number, item in enumerate(items):
            origin = (new.origin[0], number)
            obj = after.pop(origin, None)
            if obj is None:
                edited[number] = None
            else:
                pieces = self._object(item.value, before[origin], obj, binding)
                if obj is not before[origin] or pieces != [item.value]:
                    edited[number] = Entry(obj, item, pieces)
        arriving = [
            Entry(obj, None, self._arriving_object(obj, binding))
            for obj in new.objects
            if obj.origin is None or obj.origin in after
        ]
        entries = arranged(
            items,
            lambda number: before[new.origin[0], number],
            edited,
            arriving,
            object_order,
            lambda: self._is_canonical,
        )
        return self._write.array(container, entries, _OBJECT - 1)

    def _arriving_object(self, obj: ResourceInstanceObject, binding: Lowered) -> Pieces:
        """Return an object that is new in this block: a new object, or one from another block with its bytes."""
        if obj.origin is None:
            return [self._write.text(_TREES.object(obj, binding.instance_level), _OBJECT - 1)]
        number, place = obj.origin
        return self._object(self._elements(number)[place].value, self._old_objects[obj.origin], obj, binding)

    @cached_property
    def _old_objects(self) -> Mapping[tuple[int, int], ResourceInstanceObject]:
        return {obj.origin: obj for resource in self._old.resources for obj in resource.objects if obj.origin}

    def _elements(self, block: int) -> Sequence[RawItem]:
        if block not in self._elements_of:
            assert self._blocks is not None
            instances = self._member(container_at(self._data, self._blocks.items[block].value.start), "instances")
            self._elements_of[block] = instances.items if instances else ()
        return self._elements_of[block]

    def _object(
        self, element: Span, old: ResourceInstanceObject, new: ResourceInstanceObject, binding: Lowered
    ) -> Pieces:
        text = self._data[element.start : element.end]
        is_kept = old is new and not binding.instance_level and text[:1] == b"{"
        # The name of a member may have any case, and escapes.
        if is_kept and b"provider" not in text.lower() and b"\\u" not in text:
            return [element]
        plain = _TREES.object(new, {})
        after = _TREES.object(new, binding.instance_level) if binding.instance_level else plain
        if text[:1] != b"{":
            # A null element counts as an empty object.
            return [self._write.text(after, _OBJECT - 1)]
        container = container_at(self._data, element.start)
        changes = _changed(_TREES.object(old, {}), plain) if old != new else {}
        changes |= self._provider_change(container, binding.instance_level.get(new.provider_key, ""))
        if not changes:
            return [element]
        edited = self._texts(changes, _OBJECT)
        raw = container.find("attributes")
        if raw is not None and new.attributes is not None and "attributes" in changes:
            edited["attributes"] = value_pieces(self._write, self._data, raw.value, bytes(new.attributes), _OBJECT)
        return self._write.edited(container, edited, list(after), _OBJECT)

    @cached_property
    def _is_canonical(self) -> bool:
        return is_canonical(self._data, self._old, style_of(self._data), keep_unknown=True)

    def _resource_level(self, resource: ResourceState, binding: Lowered) -> str:
        """Return the `provider` of a resource.

        A provider known only by its type stays `provider.aws` if the file writes such addresses, as Terraform 0.12
        did: Terraform drops resources with its canonical form.
        """
        config = resource.provider_config
        if binding.resource_level and config and config.provider.is_legacy and self._has_short_addresses:
            return config.legacy_str()
        return binding.resource_level

    @cached_property
    def _has_short_addresses(self) -> bool:
        items = self._blocks.items if self._blocks else ()
        found = (container_at(self._data, item.value.start).find("provider") for item in items)
        texts = (str(loads_exact(self._data[item.value.start : item.value.end])) for item in found if item)
        return any("provider." in text and '["' not in text for text in texts)

    def _provider_change(self, container: Container, wanted: str) -> dict[str, Tree | None]:
        """Return the change of `provider` in a resource or an object; empty if the value is the wanted one.

        The file may have it at the other level, or at both, with the same meaning; in an edited resource, each level
        gets its own part.
        """
        item = container.find("provider")
        said = loads_exact(self._data[item.value.start : item.value.end]) if item else None
        if (said or "") == wanted or (isinstance(said, str) and wanted and same_provider(said, wanted)):
            return {}
        return {"provider": wanted or None}

    def _texts(self, changes: Mapping[str, Tree | None], depth: int) -> dict[str, Pieces | None]:
        return {name: None if tree is None else [self._write.text(tree, depth)] for name, tree in changes.items()}

    @cached_property
    def _blocks(self) -> Container | None:
        return self._member(self._top, "resources")

    def _member(self, parent: Container, name: str) -> Container | None:
        """Return the object or array in a member; None if the member is missing or null."""
        found = parent.find(name)
        if found is None or self._data[found.value.start : found.value.start + 1] not in (b"{", b"["):
            return None
        return container_at(self._data, found.value.start, found.value.end)


def _unknown(members: tuple[UnknownMember, ...]) -> dict[str, Tree]:
    return {member.name: member.raw for member in members}


def _changed(old: Mapping[str, Tree], new: Mapping[str, Tree]) -> dict[str, Tree | None]:
    """Return the members whose text differs, with their new value; None for removed ones."""
    changed: dict[str, Tree | None] = {name: None for name in old if name not in new}
    for name, tree in new.items():
        before = old.get(name)
        if before is None or (before is not tree and encode_tree(before) != encode_tree(tree)):
            changed[name] = tree
    return changed
