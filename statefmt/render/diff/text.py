"""Prints a comparison of two states for a terminal, with the signs that plans use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from statefmt.analysis.diff.model import EnvelopeChange, SnapshotDiff
from statefmt.analysis.diff.passages import NO_PASSAGES, Passages, apart
from statefmt.render.diff.items import ADDED, CHANGED, MOVED, REMOVED, Item, Line, Manner, items
from statefmt.render.terminal import READABLE_WIDTH, Terminal, counted
from statefmt.text import printable

_COLOURS: Final = {ADDED: "green", REMOVED: "red", CHANGED: "yellow", MOVED: "cyan"}
_INDENT: Final = "    "
# Room for what precedes and follows a value on a line of its own.
_MARGIN: Final = 10


def diff_text(
    changes: SnapshotDiff, manner: Manner, terminal: Terminal, across: Passages = NO_PASSAGES
) -> Iterator[str]:
    """Yield the comparison in pieces of one or more lines, without a newline at the end; the last is the summary.

    `across` is what went to other states and came from there.
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
    """Return one line, or several if the values do not fit on it."""
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


NOTHING: Final = "no differences"


def summary(changes: SnapshotDiff, across: Passages = NO_PASSAGES) -> str:
    """Return how many instances changed, and what else differs; `across` is what went between states."""
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
    """Return the name of a member of the state, with both serials if it is the serial."""
    if change.name == "serial" and change.old is not None and change.new is not None:
        return f"serial {change.old.decode()} → {change.new.decode()}"
    return printable(change.title)


def followed_text(changes: SnapshotDiff) -> str:
    """Return the note about dependencies that only follow other changes."""
    count = counted(len(changes.followed), "instance")
    return f"dependencies updated in {count} (moves, removals or reordering only)"
