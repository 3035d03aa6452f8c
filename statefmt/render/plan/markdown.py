"""Prints a plan by provider instance as Markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from statefmt.analysis.plans.bindings import PlanBindings
from statefmt.lifecycle.plan import ShownPlan
from statefmt.render.counted import counted
from statefmt.render.diff.values import Manner
from statefmt.render.markdown import MOST_CHARACTERS, code, cut_diff_block, escaped
from statefmt.render.plan._sections import PlanItem, PlanLine, PlanSection, sections
from statefmt.render.plan._summary import remarks, summary

# Lines that start like this have a colour in a `diff` code block.
_FIRST: Final = MappingProxyType(
    {"+": "+", "-": "-", "~": "!", ".": "-", "-/+": "-", "+/-": "-", "./+": "-", "+/.": "-"}
)
_ROOM_FOR_THE_END: Final = 400
_WIDTH: Final = 100


def plan_markdown(plan: ShownPlan, bindings: PlanBindings, manner: Manner, name: str) -> str:
    """Return the plan with folded details, cut at MOST_CHARACTERS with a note; `name` is its file.

    Text from the plan is only put in code, so that none of it is markup, a link or a mention.
    """
    parts = [f"### Plan\n\n{code(name)}\n\n", *(f"**{escaped(text)}**\n\n" for text in remarks(plan))]
    parts.append(f"**{escaped(summary(plan).removeprefix('Plan: ').rstrip('.'))}**\n")
    room = MOST_CHARACTERS - sum(map(len, parts)) - _ROOM_FOR_THE_END
    for section in sections(plan, bindings, replace(manner, width=_WIDTH)):
        text, left_out = _section(section, room)
        parts.append(text)
        room -= len(text)
        if left_out:
            parts.append("\n**Truncated: a comment cannot be longer.** `statetool plan-show` shows everything.\n")
            break
    return "".join(parts)


def _section(section: PlanSection, room: int) -> tuple[str, bool]:
    """Return a section, and whether some of it was left out because it was too long. Notices are not folded."""
    lines = [line for item in section.items for line in _item_lines(item)]
    title = code(section.heading) if section.is_address else escaped(section.heading)
    title += f" ({counted(len(section.items), 'entry', 'entries')})"
    head, end = f"\n<details><summary>{title}</summary>\n\n", "\n</details>\n"
    if section.is_notice:
        head, end = f"\n**{title}**\n\n", f"\n{section.advice}\n" if section.advice else ""
    return cut_diff_block(head, lines, end, room)


def _item_lines(item: PlanItem) -> Iterator[str]:
    first = _FIRST.get(item.sign, " ")
    sign = "" if item.sign in ("", " ", first) else f"{item.sign} "
    yield f"{first} {sign}{item.title}{f' ({item.note})' if item.note else ''}"
    for line in item.lines:
        yield from _line(line)


def _line(line: PlanLine) -> Iterator[str]:
    sides = [side for side in (line.old, line.new) if side is not None]
    separator = ": " if line.label and sides else ""
    first, *more = f"    {line.label}{separator}{' → '.join(sides)}".split("\n")
    sign = _FIRST[line.sign]
    yield f"{sign} {first}"
    yield from (f"{sign} {text}" for text in more)
