"""Makes objects of what a scan found: names them, and sorts out those that may not be what they seem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from statefmt.formats.salvage._scan import Break, BreakKind, Node, Scan
from statefmt.formats.salvage.model import Doubt, Envelope, FoundObject, Head, LostObject, ObjectKey, SalvagedDocument
from statefmt.formats.versions.v4 import InstanceObjectV4
from statefmt.golang import loads_exact
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
from statefmt.text.pattern import pattern

_STATE_MEMBERS: Final = frozenset({"version", "serial", "lineage", "resources", "outputs", "terraform_version"})
_RESOURCE_MEMBERS: Final = frozenset({"mode", "type", "name"})
_INSTANCE_MEMBERS: Final = frozenset({"schema_version", "attributes", "attributes_flat", "index_key", "deposed"})
_KNOWN: Final = frozenset(InstanceObjectV4.__struct_encode_fields__)
# How a state ends, in either layout. A state that was only cut short never ends so: an indented one has no other brace
# in the first column, a compact one no other line break.
_STATE_END: Final = pattern(rb"(?:\n|[^\s{])\}\s*\Z")
_LONGEST_END: Final = 64


@dataclass
class _Open:
    """A document while its parts are collected."""

    envelope: Envelope = field(default_factory=Envelope)
    objects: list[FoundObject] = field(default_factory=list)
    lost: list[LostObject] = field(default_factory=list)
    lost_outputs: list[str] = field(default_factory=list)
    is_whole: bool = False
    start: int = 0
    # The offsets of objects with members that no release writes, or with two of one name.
    odd: set[int] = field(default_factory=set)


def documents(text: bytes, scanned: Scan) -> tuple[SalvagedDocument, ...]:
    """Return the states in a text. Parts of a state that follow a break belong to the state that broke."""
    found: list[_Open] = []
    seams = [one for one in scanned.breaks if one.kind is BreakKind.TEXT or _is_old_end(text, one)]
    for node in scanned.nodes:
        names = {child.name for child in node.children}
        if names & _STATE_MEMBERS and not names & _RESOURCE_MEMBERS:
            found.append(_Open(_envelope(text, node), is_whole=node.is_whole, start=node.start))
            _root(text, node, found[-1])
            continue
        is_resource = names >= _RESOURCE_MEMBERS
        if not is_resource and not names & _INSTANCE_MEMBERS:
            continue
        if not found:
            found.append(_Open(start=node.start))
        # Whatever a document has after its end does not make it less whole, if it is not a state's.
        found[-1].is_whole = False
        if is_resource:
            _resource(text, node, found[-1])
        elif node.is_whole:
            found[-1].objects.append(_object(text, node, None))
    return tuple(_closed(one, seams) for one in found)


def _is_old_end(text: bytes, broken: Break) -> bool:
    """Return whether a file ends as a state does, although values are open."""
    end = text[-_LONGEST_END:].rstrip(b"\0")
    return broken.kind is BreakKind.END and end.endswith(b"\n") and _STATE_END.search(end) is not None


def _envelope(text: bytes, node: Node) -> Envelope:
    def value(name: str) -> object:
        child = node.whole(name)
        return None if child is None or child.kind in "{[" else loads_exact(text[child.start : child.end])

    def raw(name: str) -> bytes | None:
        child = node.whole(name)
        return None if child is None or not _is_utf8(text, child) else text[child.start : child.end]

    outputs = node.child("outputs")
    serial, version, lineage = (value(name) for name in ("serial", "version", "lineage"))
    return Envelope(
        version=_integer(version),
        terraform_version=raw("terraform_version"),
        serial=_integer(serial),
        lineage=lineage if isinstance(lineage, str) else None,
        outputs=tuple(
            (child.name, text[child.start : child.end])
            for child in (outputs.children if outputs else ())
            if child.is_whole and child.name and not child.repeats and _is_utf8(text, child)
        ),
        check_results=raw("check_results"),
        is_encrypted=node.child("encrypted_data") is not None or node.child("encryption_version") is not None,
    )


def _integer(value: object) -> int | None:
    number = str(value)
    return int(number) if value is not None and number.isascii() and number.isdigit() and len(number) <= 20 else None


def _root(text: bytes, node: Node, document: _Open) -> None:
    outputs = node.child("outputs")
    for child in outputs.children if outputs else ():
        if not child.is_whole or not _is_utf8(text, child):
            document.lost_outputs.append(child.name)
    resources = node.child("resources")
    for child in resources.children if resources else ():
        _resource(text, child, document)


def _resource(text: bytes, node: Node, document: _Open) -> None:
    """Collect the objects of a resource, and of a headless instance in its place."""
    head = _head(text, node)
    if head is None:
        if node.is_whole and {child.name for child in node.children} & _INSTANCE_MEMBERS:
            document.objects.append(_object(text, node, None))
        document.is_whole = False
        return
    instances = node.child("instances")
    for child in instances.children if instances else ():
        if child.kind != "{":
            document.is_whole = False
        elif {one.name for one in child.children} >= _RESOURCE_MEMBERS:
            # After a tear, the resources of the old end look like instances of the last resource before it.
            document.is_whole = False
            if child.is_whole:
                _resource(text, child, document)
        elif child.is_whole and _is_utf8(text, child):
            found = _object(text, child, head)
            if child.repeats or not {one.name for one in child.children} <= _KNOWN:
                document.odd.add(child.start)
            doubt = Doubt.NESTED if node.rescanned else found.doubt
            document.objects.append(replace(found, doubt=doubt))
        else:
            document.is_whole = False
            lost = _lost(text, child, head)
            if lost is not None:
                document.lost.append(lost)


def _head(text: bytes, node: Node) -> Head | None:
    values: dict[str, str] = {}
    for name in ("module", "mode", "type", "name"):
        child = node.whole(name)
        if child is None:
            if name != "module":
                return None
            continue
        value = loads_exact(text[child.start : child.end], replace_invalid=True) if child.kind == '"' else None
        if not isinstance(value, str) or "\ufffd" in value:
            return None
        values[name] = value
    members = tuple(
        (child.name, text[child.start : child.end])
        for child in node.children
        if child.is_whole and child.name != "instances"
    )
    return Head(values.get("module", ""), values["mode"], values["type"], values["name"], members)


def _object(text: bytes, node: Node, head: Head | None) -> FoundObject:
    key = None if head is None else _key(text, node, head)
    doubt = Doubt.HEADLESS if head is None or key is None else None
    raw = text[node.start : node.end]
    return FoundObject(head=head, key=key, raw=raw, offset=node.start, doubt=doubt, import_id=_import_id(text, node))


def _lost(text: bytes, node: Node, head: Head) -> LostObject | None:
    """Return a torn object if its key is certain: releases write the keys first, so another member must follow."""
    if not node.children or node.children[-1].name in ("index_key", "deposed", "status"):
        return None
    key = _key(text, node, head)
    if key is None:
        return None
    return LostObject(key=key, head=head, offset=node.start, end=node.end, import_id=_import_id(text, node))


def _key(text: bytes, node: Node, head: Head) -> ObjectKey | None:
    key: InstanceKey = NO_KEY
    index, deposed = node.whole("index_key"), node.whole("deposed")
    if index is not None:
        value = loads_exact(text[index.start : index.end], replace_invalid=True)
        if isinstance(value, str) and index.kind == '"':
            key = StringKey(value)
        elif (number := _integer(value)) is not None:
            key = IntKey(number)
        elif value is not None:
            return None
    deposed_key = "" if deposed is None else str(loads_exact(text[deposed.start : deposed.end], replace_invalid=True))
    return ObjectKey(head.address, key, deposed_key)


def _import_id(text: bytes, node: Node) -> str:
    attributes = node.child("attributes") or node.child("attributes_flat")
    member = attributes.whole("id") if attributes else None
    if member is None or member.kind != '"':
        return ""
    return str(loads_exact(text[member.start : member.end], replace_invalid=True))


def _is_utf8(text: bytes, node: Node) -> bool:
    raw = text[node.start : node.end]
    if raw.isascii():
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _closed(document: _Open, seams: Sequence[Break]) -> SalvagedDocument:
    objects = list(_without_repeated(_with_seams(document, seams)))
    return SalvagedDocument(
        envelope=document.envelope,
        objects=tuple(objects),
        lost=tuple(document.lost),
        lost_outputs=tuple(document.lost_outputs),
        is_whole=document.is_whole and all(found.doubt is None for found in objects),
        start=document.start,
    )


def _with_seams(document: _Open, seams: Sequence[Break]) -> Iterator[FoundObject]:
    """Mark the last object before each place where other text follows: its own end may be another version's.

    A tear shows only behind the seam, when the parts do not fit: within the object that holds it, or at its end, or
    when an object has members of something else.
    """
    objects, held = document.objects, set(document.odd if seams else ())
    for seam in () if document.is_whole else seams:
        before = [found.offset for found in objects if found.offset < seam.position]
        if before:
            held.add(max(before))
    for found in objects:
        yield replace(found, doubt=Doubt.SEAM) if found.offset in held and found.doubt is None else found


def _without_repeated(objects: Iterable[FoundObject]) -> Iterator[FoundObject]:
    """Mark the later ones of objects that the file has twice, and those whose resource has another provider before."""
    seen: set[ObjectKey] = set()
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
