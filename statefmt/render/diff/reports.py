"""Prints comparisons of two states as Markdown, for a comment on a pull request; as JSON; and as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Raw
from msgspec.structs import replace

from statefmt.analysis.diff.model import (
    EnvelopeChange,
    InstanceChange,
    MemberChange,
    OutputChange,
    SnapshotDiff,
    kind_of,
)
from statefmt.analysis.diff.values import NoValue, ValueChange, details
from statefmt.analysis.object_id import shown_id
from statefmt.golang import JSONValue
from statefmt.model.addrs import AbsResource
from statefmt.model.snapshot import CheckResult, InstanceState, OutputValue
from statefmt.redaction.object_value import output_steps
from statefmt.redaction.partial import HIDDEN, decoded, hidden_at
from statefmt.redaction.secrets import SecretSteps
from statefmt.render.diff import (
    ADDED,
    CHANGED,
    MOVED,
    NOTHING,
    REMOVED,
    Item,
    Line,
    Manner,
    followed_text,
    items,
    summary,
)
from statefmt.render.json_output import exact_document, fragment, raw_fragment
from statefmt.render.terminal import Terminal, counted
from statefmt.render.values import output_type_json, output_type_text
from statefmt.text import pattern, printable

if TYPE_CHECKING:
    # Text output needs no encoder.
    import orjson


# Prefixes of coloured lines in a `diff` code block.
_SIGNS: Final = {ADDED: "+", REMOVED: "-", CHANGED: "!", MOVED: "#"}
_TITLES: Final = {ADDED: "Added", REMOVED: "Removed", CHANGED: "Changed", MOVED: "Moved"}
_ROOM_FOR_THE_END: Final = 400
_WIDTH: Final = 100


def diff_markdown(changes: SnapshotDiff, manner: Manner, old: str, new: str) -> str:
    """Return the comparison with folded details, up to MOST_CHARACTERS; `old` and `new` are file names.

    Text from the states appears only in code blocks, so that none of it is markup, a link or a mention.
    """
    head = f"### State differences\n\n{code(old)} → {code(new)}\n\n"
    if not changes:
        return f"{head}{NOTHING[:1].upper()}{NOTHING[1:]}."
    parts = [f"{head}**{escaped(summary(changes))}**\n"]
    if changes.followed:
        parts.append(f"\n{followed_text(changes)}.\n")
    found = sections(changes, replace(manner, width=_WIDTH))
    return fitted(parts, (_section(title, group) for title, group in found), "diff")


def sections(changes: SnapshotDiff, manner: Manner) -> Iterator[tuple[str, Sequence[Item]]]:
    """Yield the items by kind of change, resource instances first."""
    for heading, found in items(changes, manner):
        group = tuple(found)
        if heading:
            yield heading, group
            continue
        for sign in (REMOVED, ADDED, MOVED, CHANGED):
            of_sign = [item for item in group if item.sign == sign]
            if of_sign:
                yield _TITLES[sign], of_sign


def _section(title: str, group: Sequence[Item]) -> tuple[str, list[str], str]:
    """Return the head, the lines and the end of a folded section."""
    lines = [line for item in group for line in _item_lines(item)]
    head = f"\n<details><summary>{title} ({counted(len(group), 'entry', 'entries')})</summary>\n\n"
    return head, lines, "\n</details>\n"


def _item_lines(item: Item) -> Iterator[str]:
    sign = _SIGNS[item.sign]
    if len(item.lines) == 1 and not item.lines[0].label:
        yield from _line(replace(item.lines[0], label=item.title), "")
        return
    note = f" ({item.note})" if item.note else ""
    yield f"{sign} {item.title}{f' → {item.target}' if item.target else ''}{note}"
    for line in item.lines:
        yield from _line(line, "    ")


def _line(line: Line, indent: str) -> Iterator[str]:
    sign = _SIGNS[line.sign]
    old, new = line.old, line.new
    if old == new:
        old = None
    sides = [side for side in (old, new) if side is not None]
    separator = ": " if line.label and sides else ""
    first, *more = f"{indent}{line.label}{separator}{' → '.join(sides)}".split("\n")
    yield f"{sign} {first}"
    yield from (f"{sign} {text}" for text in more)


# GitHub accepts 65,536 characters in a comment; the rest is reserved for text that a workflow adds.
MOST_CHARACTERS: Final = 65_000
_BACKTICKS: Final = pattern(r"`{3,}")


def fitted(parts: list[str], blocks: Iterable[tuple[str, Sequence[str], str]], command: str) -> str:
    """Join the beginning of a comment and `diff` code blocks, each between a head and an end, up to the maximum size.

    If anything is omitted, a note names the command that shows everything.
    """
    room = MOST_CHARACTERS - sum(map(len, parts)) - _ROOM_FOR_THE_END
    for head, lines, end in blocks:
        text, left_out = _cut_block(head, lines, end, room)
        parts.append(text)
        room -= len(text)
        if left_out:
            parts.append(f"\n**Truncated: a comment cannot be longer.** `statetool {command}` shows everything.\n")
            break
    return "".join(parts)


def _cut_block(head: str, lines: Sequence[str], end: str, room: int) -> tuple[str, bool]:
    """Return a `diff` code block between `head` and `end`, and whether lines were omitted to fit into `room`.

    `room` is in characters; the text is empty if not even one line fits.
    """
    # No line can end a block with this fence.
    fence = "`" * (max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=2) + 1)
    start, stop = f"{head}{fence}diff\n", f"{fence}\n{end}"
    room -= len(start) + len(stop)
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line + "\n")
    if not kept:
        return "", True
    return start + "".join(kept) + stop, len(kept) < len(lines)


def code(text: str) -> str:
    """Return text as inline code."""
    return f"<code>{escaped(printable(text))}</code>"


def escaped(text: str) -> str:
    """Escape text so that none of it can be markup, a link or a mention."""
    return "".join([char if char.isalnum() or char in " ,-/" else f"&#{ord(char)};" for char in text])


JsonObject = dict[str, object]


def diff_json(changes: SnapshotDiff, manner: Manner) -> bytes:
    """Return the JSON document; numbers in attributes and outputs keep their text."""
    checks = changes.check_results
    in_place = [change for change in changes.instances if change.old is not None and change.new is not None]
    return exact_document(
        differs=bool(changes),
        added=[_instance(change.new, manner) for change in changes.instances if change.old is None and change.new],
        removed=[_instance(change.old, manner) for change in changes.instances if change.new is None and change.old],
        changed=[_changed(change, manner) for change in in_place if change.is_changed],
        moved=[
            {"from": str(one.old.addr), "to": str(one.addr), "rekeyed": one.is_rekeyed}
            for one in in_place
            if one.is_moved and one.old
        ],
        moves=[
            {"kind": kind_of(move.old), "from": str(move.old), "to": str(move.new), "instances": move.count}
            for move in changes.moves
        ],
        rebound=[_rebound(change) for change in in_place if change.rebound],
        resources=[
            {"address": str(side.addr) if (side := one.new or one.old) else "", "change": _what(one.old, one.new)}
            for one in changes.resources
        ],
        outputs=[_output(change, manner) for change in changes.outputs],
        check_results=[_check_result(*found) for found in checks.differing] if checks else [],
        envelope=[_envelope(change, manner) for change in changes.envelope],
        followed=len(changes.followed),
    )


def _instance(instance: InstanceState, manner: Manner) -> JsonObject:
    """Return an instance that exists on only one side."""
    obj = instance.current or instance.objects[0]
    type_name = instance.resource.addr.resource.type
    provider = instance.provider(obj)
    return {
        "address": str(instance.addr),
        "id": shown_id(obj, type_name, show_sensitive=manner.show_sensitive),
        "provider_instance": None if provider is None else str(provider),
        "deposed_keys": [obj.deposed for obj in instance.deposed],
    }


def _changed(change: InstanceChange, manner: Manner) -> JsonObject:
    return {
        "address": str(change.addr),
        "changes": [
            node for member in change.members if member.name != "provider" for node in _member(change, member, manner)
        ],
        "objects": [
            {"deposed_key": obj.deposed or None, "change": "added" if obj.old is None else "removed"}
            for obj in change.objects
        ],
    }


def _member(change: InstanceChange, member: MemberChange, manner: Manner) -> Iterator[JsonObject]:
    head: JsonObject = {"deposed_key": member.deposed or None, "member": member.name}
    found = details(change, member, manner)
    if not found:
        # The same values in a different order, or with duplicates.
        yield {**head, "path": [], "change": "changed", "sensitive": False}
    for one in found:
        yield {**head, **_value_change(one)}


def _value_change(change: ValueChange) -> JsonObject:
    sides = (None if isinstance(side, NoValue) else True for side in (change.old, change.new))
    what = "changed" if change.order is not None or change.by_position else _what(*sides)
    node: JsonObject = {
        "path": [step for step in change.path if isinstance(step, (str, int))],
        "change": what,
        "sensitive": change.hidden,
    }
    if change.order is not None:
        node["order"] = list(change.order)
    if change.by_position:
        node["by_position"] = True
    if change.is_element:
        node["element"] = True
    for name, side in (("old", change.old), ("new", change.new)):
        if not isinstance(side, NoValue):
            node[name] = _fragment(side)
    return node


def _rebound(change: InstanceChange) -> JsonObject:
    before, now = change.rebound or (None, None)
    return {
        "address": str(change.addr),
        "from": None if before is None else str(before),
        "to": None if now is None else str(now),
    }


def _output(change: OutputChange, manner: Manner) -> JsonObject:
    sides = [side for side in (change.old, change.new) if side is not None]
    hidden = not manner.show_sensitive and any(side.sensitive for side in sides)
    secret = () if manner.show_sensitive else tuple(steps for side in sides for steps in output_steps(side))
    return {
        "name": change.name,
        "change": _what(change.old, change.new),
        "old": None if change.old is None else _side(change.old, hidden, secret),
        "new": None if change.new is None else _side(change.new, hidden, secret),
    }


def _side(output: OutputValue, hidden: bool, secret: Sequence[SecretSteps]) -> JsonObject:
    type_json = output_type_json(output, hidden=hidden)
    return {
        "value": str(HIDDEN) if hidden else _value(output, secret),
        "type": None if type_json is None else raw_fragment(type_json),
        "type_text": output_type_text(output, hidden=hidden),
        "sensitive": output.sensitive,
        **({"deprecated": output.deprecated} if output.deprecated else {}),
    }


def _value(output: OutputValue, secret: Sequence[SecretSteps]) -> orjson.Fragment:
    if not secret:
        return raw_fragment(output.value)
    try:
        return fragment(hidden_at(decoded(Raw(output.value)), secret))
    except ValueError:
        return fragment(HIDDEN)


def _check_result(address: str, old: CheckResult | None, new: CheckResult | None) -> JsonObject:
    return {
        "address": address,
        "change": _what(old, new),
        "old": None if old is None else old.status,
        "new": None if new is None else new.status,
    }


def _envelope(change: EnvelopeChange, manner: Manner) -> JsonObject:
    hidden = not change.is_known and not manner.show_sensitive
    old, new = (
        None if text is None else str(HIDDEN) if hidden else raw_fragment(text) for text in (change.old, change.new)
    )
    return {"name": change.name, "old": old, "new": new}


def _what(old: object, new: object) -> str:
    return "added" if old is None else "removed" if new is None else "changed"


def _fragment(value: JSONValue) -> orjson.Fragment:
    try:
        return fragment(value)
    except ValueError:
        # Nested too deeply to be encoded, so the value is not shown.
        return raw_fragment(b"null")


def diff_names(changes: SnapshotDiff) -> bytes:
    """Return one address per line: instances in list order (new address, or old if removed), then `output.NAME`.

    Omits dependencies that changed only because of other changes, check results and top-level members.
    """
    names = dict.fromkeys([str(change.addr) for change in changes.instances])
    names |= dict.fromkeys(f"output.{change.name}" for change in changes.outputs)
    return "".join([f"{printable(name)}\n" for name in names]).encode()


_COLUMNS: Final = ("added", "removed", "changed", "moved", "rebound")


def diff_stat(changes: SnapshotDiff, terminal: Terminal) -> str:
    """Return a table of the resources in list order (new address, or old if removed), and the summary."""
    from statefmt.render.table import table

    if not changes:
        return NOTHING
    counts: dict[AbsResource, Counter[str]] = {}
    for change in changes.instances:
        counts.setdefault(change.addr.containing_resource(), Counter()).update(_happened(change))
    total = terminal.paint(summary(changes), "bold")
    if not counts:
        return total
    columns = [column for column in _COLUMNS if any(found[column] for found in counts.values())]
    rows = [
        (printable(str(addr)), *(f"{found[column]:,}" if found[column] else "" for column in columns))
        for addr, found in counts.items()
    ]
    headings = ("resource", *columns)
    return f"{table(headings, rows, terminal, right='l' + 'r' * len(columns))}\n\n{total}"


def _happened(change: InstanceChange) -> list[str]:
    if change.old is None or change.new is None:
        return ["added" if change.old is None else "removed"]
    found = {"changed": change.is_changed, "moved": change.is_moved, "rebound": bool(change.rebound)}
    return [column for column, is_so in found.items() if is_so]
