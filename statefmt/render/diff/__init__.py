"""Prints comparisons of two states: as text, Markdown, JSON, and blocks of a configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from statefmt.analysis.diff import NO_PASSAGES, Passages, apart
from statefmt.analysis.diff.model import (
    EnvelopeChange,
    InstanceChange,
    MemberChange,
    Movable,
    Move,
    OutputChange,
    SnapshotDiff,
    move_of,
)
from statefmt.analysis.diff.places import Crossing
from statefmt.analysis.diff.values import Comparing, NoValue, ValueChange, details, output_details
from statefmt.analysis.object_id import id_is_sensitive, object_id
from statefmt.analysis.providers import short_names
from statefmt.golang import JSONValue, Members, NumberText, loads_exact, quote
from statefmt.model.addrs import ModuleInstance
from statefmt.model.snapshot import CheckObject, CheckResult, InstanceState, ObjectStatus
from statefmt.redaction.partial import HIDDEN, Hidden, path_text
from statefmt.render.terminal import READABLE_WIDTH, Terminal, counted
from statefmt.render.values import name_text, output_type_text, value_text
from statefmt.text import printable

NOTHING: Final = "no differences"
TOO_DEEP: Final = "(nested too deeply to be shown)"
ADDED: Final = "+"
REMOVED: Final = "-"
CHANGED: Final = "~"
MOVED: Final = "→"
_COLOURS: Final = {ADDED: "green", REMOVED: "red", CHANGED: "yellow", MOVED: "cyan"}
_INDENT: Final = "    "
# Width reserved for the text around a value on its own line.
_MARGIN: Final = 10


def diff_text(
    changes: SnapshotDiff, manner: Manner, terminal: Terminal, across: Passages = NO_PASSAGES
) -> Iterator[str]:
    """Yield the comparison in pieces of one or more lines, without a final newline; the last piece is the summary.

    `across` are the instances that moved to or from other states.
    """
    if not changes:
        yield NOTHING
        return
    changes = apart(changes, across)
    manner = replace(manner, width=min(terminal.width, READABLE_WIDTH) - _MARGIN)
    for heading, group in items(changes, manner, across):
        if heading:
            yield "\n" + terminal.paint(f"{heading}:", "bold")
        for item in group:
            yield _item(item, terminal)
    if changes.followed:
        yield "\n" + terminal.wrap(followed_text(changes), "")
    yield "\n" + terminal.paint(terminal.wrap(summary(changes, across), ""), "bold")


def _item(item: Item, terminal: Terminal) -> str:
    if len(item.lines) == 1 and not item.lines[0].label:
        return "\n".join(_line(replace(item.lines[0], label=item.title), "", terminal))
    head = f"{terminal.paint(item.sign, _COLOURS[item.sign])} {item.title}"
    note = terminal.paint(f" ({item.note})", "dim") if item.note else ""
    if item.target:
        way = f"{'from' if item.is_back else 'to'} {item.target}"
        length = len(item.title) + len(way) + len(item.note) + len("→   ()")
        head += f"\n{_INDENT}{way}" if length > terminal.width else f" {way}"
    return "\n".join([head + note, *(text for line in item.lines for text in _line(line, _INDENT, terminal))])


def _line(line: Line, indent: str, terminal: Terminal) -> list[str]:
    """Return one line, or several if the values do not fit."""
    head = f"{indent}{terminal.paint(line.sign, _COLOURS[line.sign])} {line.label}"
    length = len(indent) + 2 + len(line.label)
    separator = ": " if line.label else ""
    hanging = indent + _INDENT
    if line.old is None or line.new is None or line.old == line.new:
        value = line.old if line.old is not None else line.new
        if value is None:
            return [head]
        too_long = length + 2 + len(value) > terminal.width and "\n" not in value
        return [f"{head}:", f"{hanging}{value}"] if too_long and line.label else [f"{head}{separator}{value}"]
    if length + len(line.old) + len(line.new) + len(":  → ") <= terminal.width and "\n" not in line.old + line.new:
        return [f"{head}{separator}{line.old} → {line.new}"]
    return [f"{head}:" if line.label else head, f"{hanging}  {line.old}", f"{hanging}→ {line.new}"]


def summary(changes: SnapshotDiff, across: Passages = NO_PASSAGES) -> str:
    """Count the changed instances, and name other differences; `across` are the instances that moved between states."""
    counts = {
        "added": len(changes.added) - len(across.received),
        "removed": len(changes.removed) - len(across.sent),
        "changed": len(changes.changed),
        "moved": len(changes.moved),
        "rebound": len(changes.rebound),
    }
    for way, sides in (("to", across.sent), ("from", across.received)):
        counts |= Counter(f"moved {way} {printable(one.other)}" for one in sides.values())
    parts = [f"{count:,} {word}" for word, count in counts.items() if count]
    others = ((len(changes.resources), "resource block"), (len(changes.outputs), "output"))
    parts += [counted(number, noun) for number, noun in others if number]
    parts += ["check results"] if changes.check_results else []
    envelope = [_member_text(change) for change in changes.envelope]
    if not parts and not envelope and changes.followed:
        return followed_text(changes)
    return "; ".join(filter(None, [", ".join(parts), ", ".join(envelope)]))


def _member_text(change: EnvelopeChange) -> str:
    """Return the name of a member of the state, with both serials for the serial."""
    if change.name == "serial" and change.old is not None and change.new is not None:
        return f"serial {change.old.decode()} → {change.new.decode()}"
    return printable(change.title)


def followed_text(changes: SnapshotDiff) -> str:
    """Return the note about dependencies that changed only because of other changes."""
    count = counted(len(changes.followed), "instance")
    return f"dependencies updated in {count} (moves, removals or reordering only)"


def _envelope_items(changes: SnapshotDiff, manner: Manner) -> Iterator[Item]:
    """Yield the top-level members that differ; values of unknown members are hidden."""
    for change in changes.envelope:
        hidden = not change.is_known and not manner.show_sensitive
        old, new = (
            None if text is None else str(HIDDEN) if hidden else _value_text(text, manner)
            for text in (change.old, change.new)
        )
        yield Item(value_sign(old, new), printable(change.title), (value_line("", old, new, manner),))


def _output_lines(change: OutputChange, manner: Manner) -> Iterator[Line]:
    for one in output_details(change, manner):
        path = path_text([step for step in one.path if not isinstance(step, Crossing)])
        if said := remark(one):
            yield Line(CHANGED, f"{printable(path)} ({said})".lstrip())
            continue
        old, new = (side_text(side, manner, False) for side in (one.old, one.new))
        yield value_line(printable(path), old, new, manner)
    if change.old is None or change.new is None:
        return
    if change.old.type != change.new.type:
        hidden = not manner.show_sensitive and (change.old.sensitive or change.new.sensitive)
        old, new = (printable(output_type_text(side, hidden=hidden)) for side in (change.old, change.new))
        # Hidden types may differ only in names, which are not shown.
        yield Line(CHANGED, "type") if old == new else value_line("type", old, new, manner)
    if change.old.sensitive != change.new.sensitive:
        yield Line(ADDED if change.new.sensitive else REMOVED, "sensitive")
    if change.old.deprecated != change.new.deprecated:
        notes = [shown(side.deprecated, manner) if side.deprecated else None for side in (change.old, change.new)]
        yield value_line("deprecated", notes[0], notes[1], manner)
    if change.old.unknown != change.new.unknown:
        yield Line(CHANGED, "unknown members")


def _value_text(text: bytes, manner: Manner) -> str:
    try:
        return shown(loads_exact(text, replace_invalid=True), manner)
    except ValueError:
        return TOO_DEEP


def items(
    changes: SnapshotDiff, manner: Manner, across: Passages = NO_PASSAGES
) -> Iterator[tuple[str, Iterator[Item]]]:
    """Yield all items in groups, each with its heading; the heading of the resource instances is empty.

    The groups are lazy, so that the first of many items is printed at once.
    """
    groups = {
        "": resource_items(changes, manner, across),
        "Outputs": (
            Item(value_sign(one.old, one.new), printable(one.name), tuple(_output_lines(one, manner)))
            for one in changes.outputs
        ),
        "Check results": (
            Item(CHANGED, printable(address), tuple(check_lines(old, new)))
            for address, old, new in (changes.check_results.differing if changes.check_results else ())
        ),
        "State": _envelope_items(changes, manner),
    }
    for heading, found in groups.items():
        first = next(found, None)
        if first is not None:
            yield heading, chain([first], found)


def resource_items(changes: SnapshotDiff, manner: Manner, across: Passages) -> Iterator[Item]:
    """Yield the changes to resource instances: moves of several instances first, then each instance in list order."""
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
            what = "unknown members" if resource.unknown else "resource without instances"
            yield Item(value_sign(shell.old, shell.new), printable(str(resource.addr)), note=what)


def _one_sided(change: InstanceChange, manner: Manner, across: Passages) -> Iterator[Item]:
    """Yield the item of an added or removed instance, unless its whole resource or module was added or removed."""
    is_back = change.old is None
    passage = (across.received if is_back else across.sent).get(change.addr)
    side = change.new or change.old
    note = _about(side, manner) if side else ""
    if passage is None:
        yield Item(ADDED if is_back else REMOVED, _text(change.addr), note=note)
        return
    # Other changes are shown at the current state of the instance.
    lines = tuple(_instance_lines(passage.change, manner)) if is_back else ()
    if not _is_whole(passage.move):
        yield replace(_passage_item(passage.other, passage.move, note, is_back=is_back), lines=lines)
    elif lines:
        yield Item(CHANGED, _text(change.addr), lines)


def _passage_item(state: str, move: Move, note: str, *, is_back: bool) -> Item:
    """Return the item of a part that moved to another state or, with `is_back`, from it."""
    here, there = (move.new, move.old) if is_back else (move.old, move.new)
    place = printable(state) if here == there else f"{_text(there)} in {printable(state)}"
    return Item(MOVED, _text(here), target=place, note=note, is_back=is_back)


def _is_whole(move: Move) -> bool:
    return move.count > 1 or isinstance(move.old, ModuleInstance)


def _text(place: Movable) -> str:
    return printable(str(place))


def _short_names(changes: SnapshotDiff) -> dict[str, str]:
    """Return short names of all provider instances bound to objects, before or after, by printable address."""
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
    found = details(change, member, manner)
    if not found:
        # Sensitive paths are shown only up to a step that may be a value.
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
        # Addresses are never truncated.
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
    """Describe an added or removed instance."""
    parts: list[str] = []
    current, type_name = instance.current, instance.resource.addr.resource.type
    name = None if current is None else object_id(current)
    if current is not None and name and (manner.show_sensitive or not id_is_sensitive(current, type_name)):
        parts.append(f"id {cut(shown(name, Manner()), Manner())}")
    if current is not None and current.status is ObjectStatus.TAINTED:
        parts.append("tainted")
    if instance.deposed:
        parts.append(counted(len(instance.deposed), "deposed object"))
    return ", ".join(parts)


_Checked: TypeAlias = CheckResult | CheckObject


def check_lines(old: CheckResult | None, new: CheckResult | None) -> Iterator[Line]:
    yield from _status("", old, new)
    before = {obj.object_addr: obj for obj in old.objects} if old else {}
    after = {obj.object_addr: obj for obj in new.objects} if new else {}
    for address in {**before, **after}:
        one, other = before.get(address), after.get(address)
        label = printable(address)
        yield from _status(label, one, other)
        old_messages, new_messages = (obj.failure_messages if obj else () for obj in (one, other))
        had, has = set(old_messages), set(new_messages)
        yield from (Line(REMOVED, label, quote(message), None) for message in old_messages if message not in has)
        yield from (Line(ADDED, label, None, quote(message)) for message in new_messages if message not in had)


def _status(label: str, one: _Checked | None, other: _Checked | None) -> Iterator[Line]:
    old = None if one is None else printable(one.status)
    new = None if other is None else printable(other.status)
    if old != new:
        yield Line(value_sign(old, new), label, old, new)


class Line(Struct, frozen=True):
    """A single difference: its label and both printable values; None on the side without a value."""

    sign: str
    label: str
    old: str | None = None
    new: str | None = None


class Item(Struct, frozen=True):
    """The differences under one sign and title, both printable; `target` is the new address, `note` a remark.

    With `is_back`, `target` is the source of the move.
    """

    sign: str
    title: str
    lines: tuple[Line, ...] = ()
    target: str = ""
    note: str = ""
    is_back: bool = False


def side_text(side: JSONValue | NoValue, manner: Manner, is_plain: bool) -> str | None:
    """Return one side of a difference; None if it has no value. Plain text is not quoted or truncated."""
    if isinstance(side, NoValue):
        return None
    return printable(side) if is_plain and isinstance(side, str) else shown(side, manner)


def value_line(label: str, old: str | None, new: str | None, manner: Manner) -> Line:
    """Return the line for a value that differs; None on the side without it."""
    sign = value_sign(old, new)
    old, new = cut_pair(old or "", new or "", manner)
    return Line(sign, label, None if sign == ADDED else old, None if sign == REMOVED else new)


def remark(change: ValueChange) -> str:
    """Return the remark on a change of a whole list, without values; "" for any other change."""
    if change.order is not None:
        return "reordered"
    if change.by_position:
        return "compared by position: too many blocks to pair by content"
    return ""


def value_sign(old: object, new: object) -> str:
    """Return the sign of a difference; None on the side without a value."""
    return ADDED if old is None else REMOVED if new is None else CHANGED


_MARK: Final = "…"
# The number of common characters shown before the first difference.
_CONTEXT: Final = 12


class Manner(Comparing, frozen=True):
    """How to compare and show values: `width` is their maximum length; `full` wraps long values.

    `short_names` maps the addresses of provider instances to shorter names, used if they are too long: addresses are
    not truncated.
    """

    full: bool = False
    width: int = 66
    short_names: Mapping[str, str] = field(default_factory=dict)


def shown(value: JSONValue, manner: Manner) -> str:
    """Format a value as an expression, on one line unless long values are shown in full."""
    try:
        text = printable(_inline(value))
        if manner.full and len(text) > manner.width:
            return value_text(value, depth=2)
    except RecursionError:
        return TOO_DEEP
    return text


def cut_pair(old: str, new: str, manner: Manner) -> tuple[str, str]:
    """Truncate two strings so that both show their first difference."""
    if manner.full or max(len(old), len(new)) <= manner.width:
        return old, new
    unequal = (place for place, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    same = next(unequal, min(len(old), len(new)))
    longest = max(len(old), len(new))
    # Start shortly before the difference, or further back if the rest leaves room.
    start = min(same - _CONTEXT, longest - _room(longest, manner) + len(_MARK)) if same > manner.width // 2 else 0
    return cut(old, manner, max(0, start)), cut(new, manner, max(0, start))


def cut(text: str, manner: Manner, start: int = 0) -> str:
    """Truncate a string from `start` on; mark each omission, and append the full length."""
    if manner.full or len(text) <= manner.width:
        return text
    before = _MARK if start else ""
    room = _room(len(text), manner) - len(before)
    after = _MARK if len(text) > start + room else ""
    return f"{before}{text[start : start + room - len(after)]}{after}{_size(len(text))}"


def _size(length: int) -> str:
    return f" ({length:,} characters)"


def _room(length: int, manner: Manner) -> int:
    """Return how many characters of an overlong string fit beside its length."""
    return manner.width - len(_size(length))


def _inline(value: JSONValue) -> str:
    if isinstance(value, str):
        return str(value) if isinstance(value, (NumberText, Hidden)) else quote(value)
    if isinstance(value, Members):
        inside = ", ".join([f"{name_text(name)} = {_inline(part)}" for name, part in dict(value).items()])
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        return f"[{', '.join([_inline(part) for part in value])}]"
    return "null" if value is None else "true" if value else "false"
