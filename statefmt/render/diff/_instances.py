"""Turns the changes to resource instances into items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from statefmt.analysis.diff.model import InstanceChange, MemberChange, Movable, Move, SnapshotDiff, move_of
from statefmt.analysis.diff.passages import Passages
from statefmt.analysis.diff.places import Crossing
from statefmt.analysis.diff.values import ValueChange, details
from statefmt.analysis.object_id import id_is_sensitive, object_id
from statefmt.analysis.providers import short_names
from statefmt.model.addrs import ModuleInstance
from statefmt.model.snapshot import InstanceState, ObjectStatus
from statefmt.redaction.partial import path_text
from statefmt.render.counted import counted
from statefmt.render.diff.item import (
    ADDED,
    CHANGED,
    MOVED,
    REMOVED,
    Item,
    Line,
    remark,
    side_text,
    value_line,
    value_sign,
)
from statefmt.render.diff.values import Manner, cut, shown
from statefmt.render.printable import printable


def resource_items(changes: SnapshotDiff, manner: Manner, across: Passages) -> Iterator[Item]:
    """Yield the changes to resource instances: moves of several at once first, then each instance in list order."""
    by_place = {move.old: move for move in changes.moves}
    manner = replace(manner, short_names=_short_names(changes))
    for move in filter(_is_whole, changes.moves):
        yield Item(MOVED, _text(move.old), target=_text(move.new), note=counted(move.count, "instance"))
    for is_back, sides in enumerate(across):
        for other, move in dict.fromkeys((one.other, one.move) for one in sides.values() if _is_whole(one.move)):
            yield _passage_item(other, move, counted(move.count, "instance"), is_back=bool(is_back))
    for change in changes.instances:
        if change.old is None or change.new is None:
            yield from _one_sided(change, manner, across)
            continue
        lines = tuple(_instance_lines(change, manner))
        move_made = move_of(change, by_place)
        if change.is_moved and not (move_made and _is_whole(move_made)):
            yield Item(MOVED, _text(change.old.addr), lines, target=_text(change.addr))
        elif lines:
            yield Item(CHANGED, _text(change.addr), lines)
    for shell in changes.resources:
        resource = shell.new or shell.old
        if resource is not None:
            sign = ADDED if shell.old is None else REMOVED if shell.new is None else CHANGED
            what = "unknown members" if resource.unknown else "resource without instances"
            yield Item(sign, printable(str(resource.addr)), note=what)


def _one_sided(change: InstanceChange, manner: Manner, across: Passages) -> Iterator[Item]:
    """Yield the item for an instance that was added or removed, unless it is part of what went as a whole."""
    is_back = change.old is None
    passage = (across.received if is_back else across.sent).get(change.addr)
    side = change.new or change.old
    note = _about(side, manner) if side else ""
    if passage is None:
        yield Item(ADDED if is_back else REMOVED, _text(change.addr), note=note)
        return
    # What else changed is shown where the instance is now.
    lines = tuple(_instance_lines(passage.change, manner)) if is_back else ()
    if not _is_whole(passage.move):
        yield replace(_passage_item(passage.other, passage.move, note, is_back=is_back), lines=lines)
    elif lines:
        yield Item(CHANGED, _text(change.addr), lines)


def _passage_item(state: str, move: Move, note: str, *, is_back: bool) -> Item:
    """Return the item for what went to another state or, with `is_back`, came from it."""
    here, there = (move.new, move.old) if is_back else (move.old, move.new)
    place = printable(state) if here == there else f"{_text(there)} in {printable(state)}"
    return Item(MOVED, _text(here), target=place, note=note, is_back=is_back)


def _is_whole(move: Move) -> bool:
    return move.count > 1 or isinstance(move.old, ModuleInstance)


def _text(place: Movable) -> str:
    return printable(str(place))


def _short_names(changes: SnapshotDiff) -> dict[str, str]:
    """Return short names of all provider instances that objects were bound to, or are now, by printable address."""
    providers = {
        provider
        for change in changes.rebound
        for side in (change.old, change.new)
        if side is not None
        for obj in side.objects
        if (provider := side.provider(obj)) is not None
    }
    return {printable(str(provider)): printable(name) for provider, name in short_names(providers).items()}


def _instance_lines(change: InstanceChange, manner: Manner) -> Iterator[Line]:
    if change.old is None or change.new is None:
        return
    for obj in change.objects:
        what = f"deposed object {printable(obj.deposed)}" if obj.deposed else "current object"
        yield Line(ADDED if obj.old is None else REMOVED, what)
    for member in change.members:
        yield from _member_lines(change, member, manner)


def _member_lines(change: InstanceChange, member: MemberChange, manner: Manner) -> Iterator[Line]:
    before = f"deposed object {printable(member.deposed)}: " if member.deposed else ""
    if member.name == "status":
        yield Line(ADDED if member.new else REMOVED, f"{before}{ObjectStatus.TAINTED.value}")
        return
    found = details(
        change,
        member,
        show_sensitive=manner.show_sensitive,
        exact=manner.exact,
        pairing=manner.pairing,
        schemas=manner.schemas,
    )
    if not found:
        # Sensitive paths are only shown up to a step that may be a value.
        what = "not shown" if member.name == "sensitive_attributes" else "order or duplicates"
        yield Line(CHANGED, f"{before}{printable(member.name)} ({what})")
    is_plain = member.name in ("provider", "dependencies", "depends_on", "sensitive_attributes")
    for one in found:
        old, new = (side_text(side, manner, is_plain) for side in (one.old, one.new))
        label = before + _label(member.name, one)
        if said := remark(one):
            yield Line(CHANGED, f"{label} ({said})")
            continue
        if not is_plain:
            yield value_line(label, old, new, manner)
            continue
        # Addresses are never cut.
        if max(len(old or ""), len(new or "")) > manner.width:
            old, new = (None if side is None else manner.short_names.get(side, side) for side in (old, new))
        yield Line(value_sign(old, new), label, old, new)


def _label(member: str, change: ValueChange) -> str:
    """Return the label of a difference: the path of an attribute; the name and path of any other member."""
    steps = [step for step in change.path if not isinstance(step, Crossing)]
    if member == "attributes_flat" and steps:
        return printable(".".join(map(str, steps)))
    path = path_text(steps)
    if member == "attributes" and path:
        return printable(path)
    return printable(f"{member}{'' if path.startswith('[') or not path else '.'}{path}")


def _about(instance: InstanceState, manner: Manner) -> str:
    """Describe an instance that was added or removed."""
    parts: list[str] = []
    current = instance.current
    name = None if current is None else object_id(current)
    if (
        current is not None
        and name
        and (manner.show_sensitive or not id_is_sensitive(current, instance.resource.addr.resource.type))
    ):
        parts.append(f"id {cut(shown(name, Manner()), Manner())}")
    if current is not None and current.status is ObjectStatus.TAINTED:
        parts.append("tainted")
    if instance.deposed:
        parts.append(counted(len(instance.deposed), "deposed object"))
    return ", ".join(parts)
