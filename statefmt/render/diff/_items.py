"""Turns a comparison into items with lines, from which text and Markdown are printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from statefmt.analysis.diff import InstanceChange, MemberChange, OutputChange, SnapshotDiff
from statefmt.analysis.diff.details import details, output_details
from statefmt.analysis.diff.narrow import move_of
from statefmt.analysis.diff.plain import Crossing
from statefmt.analysis.diff.values import NoValue, ValueChange
from statefmt.analysis.providers.use import short_names
from statefmt.analysis.selection.object_id import id_is_sensitive, object_id
from statefmt.golang import JSONValue, loads_exact
from statefmt.model.addrs import ModuleInstance
from statefmt.model.instances import InstanceState
from statefmt.model.resources import ObjectStatus
from statefmt.redaction.hidden import HIDDEN
from statefmt.redaction.path_text import path_text
from statefmt.render.counted import counted
from statefmt.render.diff._checks import check_lines
from statefmt.render.diff.values import TOO_DEEP, Manner, cut, cut_pair, shown
from statefmt.render.outputs.type import output_type_text
from statefmt.render.printable import printable

ADDED: Final = "+"
REMOVED: Final = "-"
CHANGED: Final = "~"
MOVED: Final = "→"


@dataclass(frozen=True, slots=True)
class Line:
    """A single difference: its label and both printable values; None on the side that does not have it."""

    sign: str
    label: str
    old: str | None = None
    new: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """The differences under one sign and title, both printable; `target` is where it moved, `note` a remark."""

    sign: str
    title: str
    lines: tuple[Line, ...] = ()
    target: str = ""
    note: str = ""


def resource_items(changes: SnapshotDiff, manner: Manner) -> Iterator[Item]:
    """Yield the changes to resource instances: moves of several at once first, then each instance in list order."""
    by_place = {move.old: move for move in changes.moves}
    manner = replace(manner, short_names=_short_names(changes))
    whole = {move for move in changes.moves if move.count > 1 or isinstance(move.old, ModuleInstance)}
    for move in changes.moves:
        if move in whole:
            note = counted(move.count, "instance")
            yield Item(MOVED, printable(str(move.old)), target=printable(str(move.new)), note=note)
    for change in changes.instances:
        lines = tuple(_instance_lines(change, manner))
        title = printable(str(change.addr))
        if change.old is None or change.new is None:
            sign, side = (ADDED, change.new) if change.old is None else (REMOVED, change.old)
            yield Item(sign, title, note=_about(side, manner) if side else "")
        elif change.is_moved and move_of(change, by_place) not in whole:
            yield Item(MOVED, printable(str(change.old.addr)), lines, target=title)
        elif lines:
            yield Item(CHANGED, title, lines)
    for shell in changes.resources:
        resource = shell.new or shell.old
        if resource is not None:
            sign = ADDED if shell.old is None else REMOVED if shell.new is None else CHANGED
            what = "unknown members" if resource.unknown else "resource without instances"
            yield Item(sign, printable(str(resource.addr)), note=what)


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


def output_items(changes: SnapshotDiff, manner: Manner) -> Iterator[Item]:
    """Yield the outputs that differ, by name."""
    for change in changes.outputs:
        sign = ADDED if change.old is None else REMOVED if change.new is None else CHANGED
        yield Item(sign, printable(change.name), tuple(_output_lines(change, manner)))


def check_items(changes: SnapshotDiff, manner: Manner) -> Iterator[Item]:
    """Yield the check results that differ, by address."""
    if changes.check_results is not None:
        for address, lines in check_lines(changes.check_results).items():
            yield Item(CHANGED, printable(address), tuple(Line(*line) for line in lines))


def envelope_items(changes: SnapshotDiff, manner: Manner) -> Iterator[Item]:
    """Yield the top-level members that differ; the values of unknown ones are hidden."""
    for change in changes.envelope:
        hidden = not change.is_known and not manner.show_sensitive
        old, new = (
            None if text is None else str(HIDDEN) if hidden else _value_text(text, manner)
            for text in (change.old, change.new)
        )
        yield Item(_sign(old, new), printable(change.title), (_line("", old, new, manner),))


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
    found = details(change, member, show_sensitive=manner.show_sensitive, exact=manner.exact)
    if not found:
        # Sensitive paths are only shown up to a step that may be a value.
        what = "not shown" if member.name == "sensitive_attributes" else "order or duplicates"
        yield Line(CHANGED, f"{before}{printable(member.name)} ({what})")
    is_plain = member.name in ("provider", "dependencies", "depends_on", "sensitive_attributes")
    for one in found:
        old, new = (_text(side, manner, is_plain) for side in (one.old, one.new))
        label = before + _label(member.name, one)
        if not is_plain:
            yield _line(label, old, new, manner)
            continue
        # Addresses are never cut.
        if max(len(old or ""), len(new or "")) > manner.width:
            old, new = (None if side is None else manner.short_names.get(side, side) for side in (old, new))
        yield Line(_sign(old, new), label, old, new)


def _label(member: str, change: ValueChange) -> str:
    """Return the label of a difference: the path of an attribute; the name and path of any other member."""
    steps = [step for step in change.path if not isinstance(step, Crossing)]
    if member == "attributes_flat" and steps:
        return printable(".".join(map(str, steps)))
    path = path_text(steps)
    if member == "attributes" and path:
        return printable(path)
    return printable(f"{member}{'' if path.startswith('[') or not path else '.'}{path}")


def _text(side: JSONValue | NoValue, manner: Manner, is_plain: bool) -> str | None:
    if isinstance(side, NoValue):
        return None
    return printable(side) if is_plain and isinstance(side, str) else shown(side, manner)


def _output_lines(change: OutputChange, manner: Manner) -> Iterator[Line]:
    for one in output_details(change, show_sensitive=manner.show_sensitive, exact=manner.exact):
        path = path_text([step for step in one.path if not isinstance(step, Crossing)])
        old, new = (_text(side, manner, False) for side in (one.old, one.new))
        yield _line(printable(path), old, new, manner)
    if change.old is None or change.new is None:
        return
    if change.old.type != change.new.type:
        hidden = not manner.show_sensitive and (change.old.sensitive or change.new.sensitive)
        old, new = (printable(output_type_text(side, hidden=hidden)) for side in (change.old, change.new))
        # Hidden types may differ only in names, which are not shown.
        yield Line(CHANGED, "type") if old == new else _line("type", old, new, manner)
    if change.old.sensitive != change.new.sensitive:
        yield Line(ADDED if change.new.sensitive else REMOVED, "sensitive")
    if change.old.deprecated != change.new.deprecated:
        notes = [shown(side.deprecated, manner) if side.deprecated else None for side in (change.old, change.new)]
        yield _line("deprecated", notes[0], notes[1], manner)
    if change.old.unknown != change.new.unknown:
        yield Line(CHANGED, "unknown members")


def _line(label: str, old: str | None, new: str | None, manner: Manner) -> Line:
    sign = _sign(old, new)
    old, new = cut_pair(old or "", new or "", manner)
    return Line(sign, label, None if sign == ADDED else old, None if sign == REMOVED else new)


def _sign(old: str | None, new: str | None) -> str:
    return ADDED if old is None else REMOVED if new is None else CHANGED


def _about(instance: InstanceState, manner: Manner) -> str:
    """Describe an instance that was added or removed."""
    parts: list[str] = []
    current = instance.current
    name = None if current is None else object_id(current)
    if current is not None and name and (manner.show_sensitive or not id_is_sensitive(current)):
        parts.append(f"id {cut(shown(name, Manner()), Manner())}")
    if current is not None and current.status is ObjectStatus.TAINTED:
        parts.append("tainted")
    if instance.deposed:
        parts.append(counted(len(instance.deposed), "deposed object"))
    return ", ".join(parts)


def _value_text(text: bytes, manner: Manner) -> str:
    try:
        return shown(loads_exact(text, replace_invalid=True), manner)
    except ValueError:
        return TOO_DEEP


def items(changes: SnapshotDiff, manner: Manner) -> Iterator[tuple[str, Iterator[Item]]]:
    """Yield all items in groups, each with its heading; that of the resource instances is empty.

    The groups are lazy, so that the first of many items can be printed at once.
    """
    groups = (
        ("", resource_items), ("Outputs", output_items), ("Check results", check_items), ("State", envelope_items),
    )  # fmt: skip
    for heading, group in groups:
        found = group(changes, manner)
        first = next(found, None)
        if first is not None:
            yield heading, chain([first], found)
