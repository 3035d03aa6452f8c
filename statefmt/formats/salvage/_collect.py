"""Builds states from the values that a scan found: parts after a break belong to the state that broke."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from statefmt.formats.salvage._scan import (
    RESOURCE_LEVEL,
    Break,
    BreakKind,
    Scan,
    ScannedValue,
    integer,
    is_utf8,
    levels,
    string,
    string_in,
)
from statefmt.formats.salvage.model import (
    Doubt,
    FoundObject,
    Head,
    LostObject,
    SalvagedDocument,
    SalvagedEnvelope,
    SalvagedKey,
    StateLayout,
)
from statefmt.formats.versions import InstanceObjectV4, ResourceV4, StateV4
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
from statefmt.text import pattern

# A file that was torn once has one seam; a file with more may be mixed from blocks, with hidden seams.
_MOST_SEAMS: Final = 1
# The nesting of resources within resources after a tear: the inner resources may belong to the old end.
_DEEPEST: Final = 1
_LINE_BREAKS: Final = pattern(rb"(?:\r?\n){0,2}+")


@dataclass(kw_only=True)
class _Open:
    """A state while its parts are collected. `end` is where it closes, if anywhere; `is_loose` if parts follow.

    `is_cut` if the text only lacks its end, `repeats` if one of its objects has two members with the same name.
    """

    start: int
    envelope: SalvagedEnvelope = field(default_factory=SalvagedEnvelope)
    end: int | None = None
    serial_at: int = -1
    is_damaged: bool = False
    is_loose: bool = False
    is_cut: bool = False
    repeats: bool = False
    objects: list[FoundObject] = field(default_factory=list)
    lost: list[LostObject] = field(default_factory=list)
    outputs: list[FoundOutput] = field(default_factory=list)
    lost_members: list[str] = field(default_factory=list)
    signs: list[Sign] = field(default_factory=list)
    # The offsets of objects whose resource is nested among the instances of another.
    nested: set[int] = field(default_factory=set)


def documents(text: bytes, scanned: Scan) -> tuple[SalvagedDocument, ...]:
    """Return the states in a text, in order."""
    found: list[_Open] = []
    is_cut = all(one.kind is BreakKind.END for one in scanned.breaks)
    for node, level in zip(scanned.nodes, levels(text, scanned.nodes), strict=True):
        if is_state(node):
            found.append(_state(text, node, is_cut=is_cut))
        elif is_resource(node) or is_instance(node):
            if not found:
                found.append(_Open(start=node.start, is_damaged=True))
            found[-1].is_loose = True
            _loose(text, node, found[-1], level)
    # After a gap, scanning may resume inside a string: a break there is not part of a state.
    torn = {node.end for node in scanned.nodes if is_state(node) or is_resource(node) or is_instance(node)}
    seams = [one for one in scanned.breaks if one.kind.is_seam and one.position in torn]
    starts = [bisect_left(seams, one.start, key=lambda seam: seam.position) for one in found]
    return tuple(
        _closed(text, one, seams[first:last])
        for one, first, last in zip(found, starts, [*starts[1:], None], strict=False)
    )


def _state(text: bytes, node: ScannedValue, *, is_cut: bool) -> _Open:
    document = _Open(
        start=node.start,
        envelope=envelope_of(text, node),
        end=node.end if node.is_whole else None,
        is_damaged=not node.is_whole,
        is_cut=is_cut,
        repeats=node.repeats,
    )
    outputs = node.child("outputs")
    for child in outputs.children if outputs else ():
        is_certain = child.name and child.kind == "{" and not child.repeats
        document.outputs.append(FoundOutput(child.name, child.start, _raw(text, child) if is_certain else None))
    # Members with a separate entry in a report are not listed again.
    checks = node.child("check_results")
    document.lost_members += [checks.name] if checks is not None and _raw(text, checks) is None else []
    document.lost_members += [name for name, raw in odd_members_of(text, node) if raw is None]
    resources = node.child("resources")
    for child in resources.children if resources else ():
        _part(text, child, None, document)
    serial = node.whole("serial")
    if serial is not None and document.envelope.serial is not None:
        document.serial_at = serial.start - node.start
    # Foreign members after its resources, or two members with the same name.
    if node.repeats or any(is_behind for _, is_behind in odd_members(node)):
        document.signs.append(Sign(node.end))
    return document


def _loose(text: bytes, node: ScannedValue, document: _Open, level: int | None) -> None:
    """Collect a part that follows a break; an object without a resource is no sign of a seam there."""
    signs, first = len(document.signs), len(document.objects)
    _part(text, node, None, document)
    if not is_resource(node):
        del document.signs[signs:]
    elif level != RESOURCE_LEVEL:
        _doubt(document, first, Doubt.LOOSE)


def _part(text: bytes, node: ScannedValue, head: Head | None, document: _Open, depth: int = 0) -> None:
    """Collect a resource, with its objects, or an object of the resource with the given head.

    After a tear, resources of the old end may be nested among the instances of a resource, and the reverse.
    """
    is_too_deep = head is not None and depth > _DEEPEST
    own = head_of(text, node) if is_resource(node) and not is_too_deep else None
    if own is None:
        _instance(text, node, head, document)
        return
    document.is_damaged |= head is not None
    if is_odd_resource(node):
        document.signs.append(Sign(node.start))
    instances = node.child("instances")
    first = len(document.objects)
    follows = False
    for child in instances.children if instances else ():
        if is_resource(child) and not follows:
            document.signs.append(Sign(child.start))
        follows = is_resource(child)
        _part(text, child, own, document, depth + 1)
    may_be_torn = is_odd_resource(node) and document.is_damaged and not document.is_cut
    doubt = Doubt.SEAM if may_be_torn else Doubt.NESTED if node.rescanned else None
    if doubt is not None:
        _doubt(document, first, doubt)
    if head is not None:
        document.nested |= {one.offset for one in document.objects[first:]}


def _instance(text: bytes, node: ScannedValue, head: Head | None, document: _Open) -> None:
    if not node.is_whole or not is_utf8(text, node):
        document.is_damaged = True
        lost = lost_object(text, node, head) if head is not None else None
        if lost is not None:
            document.lost.append(lost)
        return
    if head is None or is_odd_instance(node):
        document.signs.append(Sign(node.start))
    if is_instance(node) or (head is not None and node.kind == "{" and not is_resource(node)):
        document.objects.append(object_of(text, node, head))
    document.is_damaged |= head is None or node.kind != "{"


def _closed(text: bytes, document: _Open, seams: Sequence[Break]) -> SalvagedDocument:
    # Data after the end of a regular state does not make the state less whole.
    is_behind = document.end is not None and not document.is_damaged and not document.signs
    is_damaged = document.is_damaged or (not is_behind and bool(document.is_loose or seams))
    objects, outputs = document.objects, document.outputs
    signs = [*document.signs, *(Sign(one.position, one.element) for one in seams)]
    if not document.repeats and (not is_damaged or (document.is_cut and not document.is_loose and not document.nested)):
        # Members unknown to the format prove nothing where no texts can meet: newer releases write some.
        signs.clear()
    if is_behind:
        objects = [_doubted(one, Doubt.BEHIND) if one.offset >= (document.end or 0) else one for one in objects]
    elif is_damaged and (signs or document.is_loose):
        offsets = sorted([*(one.offset for one in objects), *(one.offset for one in outputs)])
        suspect = held(offsets, signs)
        objects = [_doubted(one, Doubt.SEAM) if one.offset in suspect else one for one in objects]
        outputs = [one._replace(raw=None) if one.offset in suspect else one for one in outputs]
        if any(one.kind is BreakKind.TEXT for one in seams):
            # They do not belong to the old end, whose brackets close at the end of the file.
            objects = [_doubted(one, Doubt.NESTED) if one.offset in document.nested else one for one in objects]
        if sum(one.kind is BreakKind.TEXT for one in seams) > _MOST_SEAMS:
            objects = [_doubted(one, Doubt.MIXED) for one in objects]
    if not is_behind:
        unseen = mixed(objects, signs, document.end)
        objects = [_doubted(one, Doubt.MIXED) if one.offset in unseen else one for one in objects]
    objects = list(without_repeated(objects))
    certain = tuple((one.name, one.raw) for one in outputs if one.raw is not None)
    is_whole = not is_damaged and all(one.doubt in (None, Doubt.BEHIND) for one in objects)
    return SalvagedDocument(
        envelope=replace(document.envelope, outputs=certain),
        objects=tuple(objects),
        lost=tuple(document.lost),
        lost_outputs=tuple(one.name for one in outputs if one.raw is None),
        lost_members=tuple(document.lost_members),
        is_whole=is_whole,
        is_torn=not is_whole and bool(signs),
        start=document.start,
        raw=_own_bytes(text, document) if is_whole else b"",
        serial_at=document.serial_at if is_whole else -1,
        layout=layout_at(text, document.start),
    )


def _own_bytes(text: bytes, document: _Open) -> bytes:
    """Return the bytes of a state with its line breaks at the end, of which releases write one or two."""
    breaks = _LINE_BREAKS.match(text, document.end or document.start)
    return text[document.start : breaks.end() if breaks else document.end]


def _doubt(document: _Open, first: int, doubt: Doubt) -> None:
    document.objects[first:] = [_doubted(one, doubt) for one in document.objects[first:]]


def _doubted(found: FoundObject, doubt: Doubt) -> FoundObject:
    return found if found.doubt is not None else replace(found, doubt=doubt)


class FoundOutput(NamedTuple):
    """An output: the offset of its value, and its bytes, None if it is torn."""

    name: str
    offset: int
    raw: bytes | None


def envelope_of(text: bytes, node: ScannedValue) -> SalvagedEnvelope:
    """Return the envelope of a state, without its outputs."""
    return SalvagedEnvelope(
        version=integer(text, node.child("version")),
        terraform_version=_raw(text, node.child("terraform_version")),
        serial=integer(text, node.child("serial")),
        lineage=string(text, node.child("lineage")),
        check_results=_raw(text, node.child("check_results")),
        others=tuple((name, raw) for name, raw in odd_members_of(text, node) if raw is not None),
        is_encrypted="version" not in node.names
        and bool(node.names & {"encrypted_data", "encryption_version", "meta"}),
    )


def odd_members_of(text: bytes, node: ScannedValue) -> Iterator[tuple[str, bytes | None]]:
    """Yield the members of a state that are unknown to the format: name and bytes, None if they may be torn."""
    for child, is_behind in odd_members(node):
        is_certain = "\ufffd" not in child.name and not node.repeats and (node.is_whole or not is_behind)
        yield child.name, _raw(text, child) if is_certain else None


def _raw(text: bytes, node: ScannedValue | None) -> bytes | None:
    return text[node.start : node.end] if node is not None and node.is_whole and is_utf8(text, node) else None


_STATE_MEMBERS: Final = frozenset({*StateV4.__struct_encode_fields__, "modules", "encrypted_data", "meta"})
# A log line may have a version; other files have these members in no other combination.
_STATE_MARKS: Final = frozenset({"terraform_version", "lineage", "resources", "modules", "encrypted_data"})
_HEAD_MEMBERS: Final = frozenset({"mode", "type", "name"})
_INSTANCE_MARKS: Final = frozenset({"schema_version", "attributes", "attributes_flat", "index_key", "deposed"})
_INSTANCE_MEMBERS: Final = frozenset(InstanceObjectV4.__struct_encode_fields__)
_RESOURCE_MEMBERS: Final = frozenset(ResourceV4.__struct_encode_fields__)
# Releases write these members first, or may omit the members after them.
_FIRST_MEMBERS: Final = frozenset({"index_key", "deposed", "status"})


def is_state(node: ScannedValue) -> bool:
    """Return whether a value is a state, whole or damaged."""
    names = node.names
    return bool(names & _STATE_MARKS) and len(names & _STATE_MEMBERS) > 1 and not names & _HEAD_MEMBERS


def is_resource(node: ScannedValue) -> bool:
    """Return whether a value is a resource, whole or damaged."""
    return node.names >= _HEAD_MEMBERS


def is_instance(node: ScannedValue) -> bool:
    """Return whether a value is an object of a resource, whole or damaged."""
    return bool(node.names & _INSTANCE_MARKS) and not is_resource(node)


def odd_members(node: ScannedValue) -> Iterator[tuple[ScannedValue, bool]]:
    """Yield the members of a state that are unknown to the format, each with whether it follows the resources.

    Members after the resources may belong to an object whose beginning is lost. Earlier members cannot: the end of
    that object would be the end of the state.
    """
    resources = node.child("resources")
    for child in node.children:
        if child.name not in _STATE_MEMBERS:
            yield child, resources is None or child.start > resources.start


def is_odd_resource(node: ScannedValue) -> bool:
    """Return whether a resource has foreign members."""
    return not node.names <= _RESOURCE_MEMBERS


def is_odd_instance(node: ScannedValue) -> bool:
    """Return whether an object has foreign or repeated members, or lacks members that every release writes."""
    names = node.names
    lacks = "schema_version" not in names or not names & {"attributes", "attributes_flat"}
    return node.repeats or lacks or not names <= _INSTANCE_MEMBERS


def head_of(text: bytes, node: ScannedValue) -> Head | None:
    """Return the head of a resource; None if a part of its address is lost."""
    values: dict[str, str] = {}
    for name in ("module", "mode", "type", "name"):
        if name not in node.names and name == "module":
            continue
        value = string(text, node.child(name))
        if value is None:
            return None
        values[name] = value
    if not all(is_utf8(text, child) for child in node.children if child.name != "instances"):
        return None
    members = tuple(
        (child.name, text[child.start : child.end])
        for child in node.children
        if child.is_whole and child.name != "instances"
    )
    return Head(values.get("module", ""), values["mode"], values["type"], values["name"], members)


def object_of(text: bytes, node: ScannedValue, head: Head | None) -> FoundObject:
    """Return a whole object; it is headless without the head of its resource, or with an impossible key."""
    key = None if head is None else _key(text, node, head)
    raw, doubt = text[node.start : node.end], Doubt.HEADLESS if key is None else None
    return FoundObject(head=head, key=key, raw=raw, offset=node.start, doubt=doubt, import_id=_import_id(text, node))


def lost_object(text: bytes, node: ScannedValue, head: Head) -> LostObject | None:
    """Return a torn object if its key is certain: releases write the keys first, so another member must follow."""
    if not node.children or node.children[-1].name in _FIRST_MEMBERS:
        return None
    key = _key(text, node, head)
    if key is None:
        return None
    return LostObject(key=key, head=head, offset=node.start, end=node.end, import_id=_import_id(text, node))


def _key(text: bytes, node: ScannedValue, head: Head) -> SalvagedKey | None:
    key: InstanceKey = NO_KEY
    index, deposed = node.child("index_key"), node.child("deposed")
    if index is not None:
        if (name := string(text, index)) is not None:
            key = StringKey(name)
        elif (number := integer(text, index)) is not None:
            key = IntKey(number)
        elif text[index.start : index.end] != b"null":
            return None
    deposed_key = "" if deposed is None else string(text, deposed)
    return None if deposed_key is None else SalvagedKey(head.address, key, deposed_key)


class _Attributes(Struct):
    id: msgspec.Raw = msgspec.Raw(b"null")


def _import_id(text: bytes, node: ScannedValue) -> str:
    attributes = node.child("attributes") or node.child("attributes_flat")
    if attributes is None:
        return ""
    if not attributes.is_whole:
        return string(text, attributes.child("id")) or ""
    try:
        raw = bytes(msgspec.json.decode(memoryview(text)[attributes.start : attributes.end], type=_Attributes).id)
    except (ValueError, RecursionError):
        return ""
    return (string_in(raw) if raw.startswith(b'"') else None) or ""


class Sign(NamedTuple):
    """A position that proves a seam at or before it: the part before it may contain the seam.

    A part that ends before `since` does not: the part after it is sound up to the sign.
    """

    position: int
    since: int = 0


def held(offsets: Sequence[int], signs: Iterable[Sign]) -> set[int]:
    """Return the offsets of the parts that may contain a seam; `offsets` are the offsets of all parts, ascending.

    If the grammar does not detect a seam at once, it does so at the next closing bracket: the stack of open brackets
    is from one version, the text from another. So the seam is in the part that was closed last, or in the part where
    it is detected.
    """
    found: set[int] = set()
    for sign in signs:
        last = bisect_right(offsets, sign.position)
        if last and offsets[last - 1] == sign.position:
            found.add(sign.position)
            last -= 1
        if last and offsets[last - 1] >= sign.since:
            found.add(offsets[last - 1])
    return found


def mixed(objects: Sequence[FoundObject], signs: Iterable[Sign], end: int | None) -> set[int]:
    """Return the offsets of objects that may contain a hidden seam, as blocks of two writers do.

    They are between the first sign and the last, and from an object to its repetition. A state that closes has one
    known seam, its end.
    """
    places = sorted({one.position for one in signs})
    first, last = (places[0], places[-1]) if places else (0, -1)
    found = {one.offset for one in objects if first <= one.offset <= last}
    return found | _between_repeated(objects, sorted([*places, *([] if end is None else [end])]))


def _between_repeated(objects: Iterable[FoundObject], places: Sequence[int]) -> set[int]:
    """Return the offsets of objects from one to its repetition without a detected seam in between; `places` ascend.

    No version has an object twice, so any of them may contain a seam.
    """
    offsets: list[int] = []
    first: dict[SalvagedKey, int] = {}
    # The last index of the doubtful objects that begin at an index.
    last: dict[int, int] = {}
    for found in objects:
        if found.key is None or found.doubt in (Doubt.NESTED, Doubt.LOOSE):
            continue
        index = first.setdefault(found.key, len(offsets))
        offsets.append(found.offset)
        if bisect_right(places, offsets[index]) == bisect_right(places, found.offset) and index < len(offsets) - 1:
            last[index] = len(offsets) - 1
    doubtful: set[int] = set()
    end = -1
    for index, offset in enumerate(offsets):
        end = max(end, last.get(index, -1))
        if index <= end:
            doubtful.add(offset)
    return doubtful


def without_repeated(objects: Iterable[FoundObject]) -> Iterator[FoundObject]:
    """Mark repeated objects, and objects whose resource had another provider before."""
    seen: set[SalvagedKey] = set()
    providers: dict[str, bytes] = {}
    for found in objects:
        if found.key is None or found.head is None or found.doubt is not None:
            yield found
        elif found.key in seen:
            yield replace(found, doubt=Doubt.REPEATED)
        elif providers.setdefault(found.key.resource, found.head.provider) != found.head.provider:
            yield replace(found, doubt=Doubt.PROVIDER)
        else:
            seen.add(found.key)
            yield found


_FIRST_MEMBER: Final = pattern(rb'\{([ \t\r\n]*+)"[a-z_]++"([ \t]*+:[ \t]*+)')
_LINE: Final = pattern(rb"(\r?\n)([ \t]*+)\Z")


def layout_at(text: bytes, start: int) -> StateLayout:
    """Return the layout of the state, or of the part of a state, that begins at an offset."""
    first = _FIRST_MEMBER.match(text, start)
    if first is None:
        return StateLayout()
    line = _LINE.search(first[1])
    if line is None:
        return StateLayout(line=b"", indent=b"", colon=first[2])
    return StateLayout(line=line[1], indent=line[2] if len(line[2]) <= _WIDEST else b"  ", colon=first[2])


# A part that is not the whole state is indented more.
_WIDEST: Final = 8
