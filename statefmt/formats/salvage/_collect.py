"""Makes states of what a scan found: parts of a state that follow a break belong to the state that broke."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from statefmt.formats.salvage._breaks import Break, BreakKind
from statefmt.formats.salvage._doubts import Sign, held, mixed, without_repeated
from statefmt.formats.salvage._envelope import FoundOutput, envelope_of, lost_members_of, outputs_of
from statefmt.formats.salvage._layout import layout_at
from statefmt.formats.salvage._levels import RESOURCE_LEVEL, levels
from statefmt.formats.salvage._names import (
    head_of,
    is_instance,
    is_odd_instance,
    is_odd_resource,
    is_odd_state,
    is_resource,
    is_state,
    lost_object,
    object_of,
)
from statefmt.formats.salvage._scan import Scan, ScannedValue
from statefmt.formats.salvage._values import is_utf8
from statefmt.formats.salvage.model import Doubt, FoundObject, Head, LostObject, SalvagedDocument, SalvagedEnvelope
from statefmt.text.pattern import pattern

# A file that was torn once has one such place; one that has more may be mixed of blocks, with seams that do not show.
_MOST_SEAMS: Final = 1
# How deep resources stand in resources after a tear: the second may be those of the old end.
_DEEPEST: Final = 1
_LINE_BREAKS: Final = pattern(rb"(?:\r?\n){0,2}+")


@dataclass(kw_only=True)
class _Open:
    """A state while its parts are collected. `end` is where it closes, if it does; `is_loose` if parts follow that.

    `is_cut` if the text only lacks its end, `repeats` if one of its objects has two members of one name.
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
    # The offsets of objects whose resource stands among the instances of another.
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
    # Behind a hole, scanning may resume inside a string: what breaks there is no part of a state.
    torn = {node.end for node in scanned.nodes if is_state(node) or is_resource(node) or is_instance(node)}
    seams = [one for one in scanned.breaks if one.kind.is_seam and one.position in torn]
    starts = [bisect_left(seams, one.start, key=_position) for one in found]
    return tuple(
        _closed(text, one, seams[first:last])
        for one, first, last in zip(found, starts, [*starts[1:], None], strict=False)
    )


def _position(seam: Break) -> int:
    return seam.position


def _state(text: bytes, node: ScannedValue, *, is_cut: bool) -> _Open:
    document = _Open(
        start=node.start,
        envelope=envelope_of(text, node),
        end=node.end if node.is_whole else None,
        is_damaged=not node.is_whole,
        is_cut=is_cut,
        repeats=node.repeats,
    )
    document.outputs += outputs_of(text, node)
    document.lost_members += lost_members_of(text, node)
    resources = node.child("resources")
    for child in resources.children if resources else ():
        _part(text, child, None, document)
    serial = node.whole("serial")
    if serial is not None and document.envelope.serial is not None:
        document.serial_at = serial.start - node.start
    if is_odd_state(node):
        document.signs.append(Sign(node.end))
    return document


def _loose(text: bytes, node: ScannedValue, document: _Open, level: int | None) -> None:
    """Collect a part that follows a break: that an object there has no resource is no sign of a seam."""
    signs, first = len(document.signs), len(document.objects)
    _part(text, node, None, document)
    if not is_resource(node):
        del document.signs[signs:]
    elif level != RESOURCE_LEVEL:
        _doubt(document, first, Doubt.LOOSE)


def _part(text: bytes, node: ScannedValue, head: Head | None, document: _Open, depth: int = 0) -> None:
    """Collect a resource, with its objects, or an object of the resource with that head.

    After a tear, the resources of the old end may stand among the instances of a resource, and the reverse.
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
    # What follows the end of a state that shows nothing odd does not make it less whole.
    is_behind = document.end is not None and not document.is_damaged and not document.signs
    is_damaged = document.is_damaged or (not is_behind and bool(document.is_loose or seams))
    objects, outputs = document.objects, document.outputs
    signs = [*document.signs, *(Sign(one.position, one.element) for one in seams)]
    if not document.repeats and (not is_damaged or (document.is_cut and not document.is_loose and not document.nested)):
        # Members that the format does not have show nothing where no texts can meet: newer releases write some.
        signs.clear()
    if is_behind:
        objects = [_doubted(one, Doubt.BEHIND) if one.offset >= (document.end or 0) else one for one in objects]
    elif is_damaged and (signs or document.is_loose):
        offsets = sorted([*(one.offset for one in objects), *(one.offset for one in outputs)])
        suspect = held(offsets, signs)
        objects = [_doubted(one, Doubt.SEAM) if one.offset in suspect else one for one in objects]
        outputs = [one._replace(raw=None) if one.offset in suspect else one for one in outputs]
        if any(one.kind is BreakKind.TEXT for one in seams):
            # They are not the resources of the old end, whose brackets close at the end of the file.
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
