"""Prints a comparison of two states as Markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.render.diff.items import ADDED, CHANGED, MOVED, REMOVED, Item, Line, Manner, items
from statefmt.render.diff.text import NOTHING, followed_text, summary
from statefmt.render.terminal import counted
from statefmt.text import pattern, printable

# Lines that start like this have a colour in a `diff` code block.
_SIGNS: Final = {ADDED: "+", REMOVED: "-", CHANGED: "!", MOVED: "#"}
_TITLES: Final = {ADDED: "Added", REMOVED: "Removed", CHANGED: "Changed", MOVED: "Moved"}
_ROOM_FOR_THE_END: Final = 400
_WIDTH: Final = 100


def diff_markdown(changes: SnapshotDiff, manner: Manner, old: str, new: str) -> str:
    """Return the comparison with folded details, cut at MOST_CHARACTERS with a note; `old` and `new` are file names.

    Text from the states is only put in code blocks, so that none of it is markup, a link or a mention.
    """
    head = f"### State differences\n\n{code(old)} → {code(new)}\n\n"
    if not changes:
        return f"{head}{NOTHING[:1].upper()}{NOTHING[1:]}."
    parts = [f"{head}**{escaped(summary(changes))}**\n"]
    if changes.followed:
        parts.append(f"\n{followed_text(changes)}.\n")
    room = MOST_CHARACTERS - sum(map(len, parts)) - _ROOM_FOR_THE_END
    for title, group in sections(changes, replace(manner, width=_WIDTH)):
        text, left_out = _section(title, group, room)
        parts.append(text)
        room -= len(text)
        if left_out:
            parts.append("\n**Truncated: a comment cannot be longer.** `statetool diff` shows everything.\n")
            break
    return "".join(parts)


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


def _section(title: str, group: Sequence[Item], room: int) -> tuple[str, bool]:
    """Return a folded section, and whether some of it was left out because it was too long."""
    lines = [line for item in group for line in _item_lines(item)]
    head = f"\n<details><summary>{title} ({counted(len(group), 'entry', 'entries')})</summary>\n\n"
    return cut_diff_block(head, lines, "\n</details>\n", room)


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


# GitHub accepts 65,536 characters in a comment; the rest is for text that a workflow adds.
MOST_CHARACTERS: Final = 65_000
_BACKTICKS: Final = pattern(r"`{3,}")


def _fence_around(lines: Iterable[str]) -> str:
    """Return the fence of a code block that none of the lines can end."""
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=2)
    return "`" * (longest + 1)


def cut_diff_block(head: str, lines: Sequence[str], end: str, room: int) -> tuple[str, bool]:
    """Return a `diff` code block between `head` and `end`, and whether lines were left out to fit into `room`.

    `room` is in characters; the text is empty if not even one line fits.
    """
    fence = _fence_around(lines)
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
