"""Prints a plan by provider instance for a terminal, with the signs that plans use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from statefmt.analysis.plans.bindings import PlanBindings
from statefmt.lifecycle.plan import ShownPlan
from statefmt.render.diff.values import Manner
from statefmt.render.plan._sections import MISSING, PlanItem, PlanLine, sections
from statefmt.render.plan._summary import remarks, summary
from statefmt.render.printable import printable
from statefmt.render.terminal import READABLE_WIDTH, Terminal

_COLOURS: Final = MappingProxyType({
    "+": "green", "-": "red", "~": "yellow", "-/+": "red", "+/-": "red", "<=": "cyan", ".": "red", "./+": "red",
    "+/.": "red",
})  # fmt: skip
_INDENT: Final = "  "
# Room for what precedes and follows a value on a line of its own.
_MARGIN: Final = 12


def plan_text(plan: ShownPlan, bindings: PlanBindings, manner: Manner, terminal: Terminal) -> Iterator[str]:
    """Yield the plan in pieces of one or more lines, without a newline at the end; the last is the summary."""
    manner = replace(manner, width=min(terminal.width, READABLE_WIDTH) - _MARGIN)
    for text in remarks(plan):
        yield terminal.paint(terminal.wrap(printable(text), ""), "bold", "red") + "\n"
    for section in sections(plan, bindings, manner):
        styles = ("bold", "red") if section.heading == MISSING else ("bold",)
        yield terminal.paint(f"{section.heading}:", *styles)
        yield from (_item(item, terminal) for item in section.items)
        if section.advice:
            yield terminal.wrap(f"→ {section.advice}", _INDENT, _INDENT)
        yield ""
    yield terminal.paint(summary(plan), "bold")


def _item(item: PlanItem, terminal: Terminal) -> str:
    head = f"{_INDENT}{_sign(item.sign, terminal)} {item.title}"
    length = len(_INDENT) + len(item.sign) + 1 + len(item.title)
    if len(item.lines) == 1 and not item.lines[0].label:
        # The value of an output, or the provider instances.
        return "\n".join([_with_note(head, length, item.note, terminal), *_sides(item.lines[0], _INDENT * 3)])
    lines = [text for line in item.lines for text in _line(line, terminal)]
    return "\n".join([_with_note(head, length, item.note, terminal), *lines])


def _with_note(head: str, length: int, note: str, terminal: Terminal) -> str:
    if not note:
        return head
    if length + len(note) + 3 <= terminal.width:
        return f"{head} {terminal.paint(f'({note})', 'dim')}"
    return f"{head}\n{terminal.paint(terminal.wrap(f'({note})', _INDENT * 3), 'dim')}"


def _line(line: PlanLine, terminal: Terminal) -> list[str]:
    indent = _INDENT * 3
    head = f"{indent}{_sign(line.sign, terminal)} {line.label}"
    sides = [side for side in (line.old, line.new) if side is not None]
    if not sides:
        return [head]
    length = len(indent) + 2 + len(line.label) + sum(map(len, sides)) + len(":  → ")
    if length <= terminal.width and not any("\n" in side for side in sides):
        return [f"{head}: {' → '.join(sides)}"]
    return [f"{head}:", *_sides(line, _INDENT * 5)]


def _sides(line: PlanLine, indent: str) -> list[str]:
    if line.old is None or line.new is None:
        return [f"{indent}{line.old if line.old is not None else line.new}"]
    return [f"{indent}  {line.old}", f"{indent}→ {line.new}"]


def _sign(sign: str, terminal: Terminal) -> str:
    return terminal.paint(sign, _COLOURS[sign]) if sign in _COLOURS else sign
