"""Turns a comparison into items with lines, from which text and Markdown are printed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from statefmt.analysis.diff.model import OutputChange, SnapshotDiff
from statefmt.analysis.diff.passages import NO_PASSAGES, Passages
from statefmt.analysis.diff.places import Crossing
from statefmt.analysis.diff.values import output_details
from statefmt.golang import loads_exact
from statefmt.redaction.partial import HIDDEN, path_text
from statefmt.render.diff._checks import check_lines
from statefmt.render.diff._instances import resource_items
from statefmt.render.diff.item import ADDED, CHANGED, REMOVED, Item, Line, remark, side_text, value_line, value_sign
from statefmt.render.diff.values import TOO_DEEP, Manner, shown
from statefmt.render.outputs.type import output_type_text
from statefmt.render.printable import printable


def _output_items(changes: SnapshotDiff, manner: Manner) -> Iterator[Item]:
    """Yield the outputs that differ, by name."""
    for change in changes.outputs:
        sign = ADDED if change.old is None else REMOVED if change.new is None else CHANGED
        yield Item(sign, printable(change.name), tuple(_output_lines(change, manner)))


def _check_items(changes: SnapshotDiff) -> Iterator[Item]:
    """Yield the check results that differ, by address."""
    if changes.check_results is not None:
        for address, lines in check_lines(changes.check_results).items():
            yield Item(CHANGED, printable(address), tuple(Line(*line) for line in lines))


def _envelope_items(changes: SnapshotDiff, manner: Manner) -> Iterator[Item]:
    """Yield the top-level members that differ; the values of unknown ones are hidden."""
    for change in changes.envelope:
        hidden = not change.is_known and not manner.show_sensitive
        old, new = (
            None if text is None else str(HIDDEN) if hidden else _value_text(text, manner)
            for text in (change.old, change.new)
        )
        yield Item(value_sign(old, new), printable(change.title), (value_line("", old, new, manner),))


def _output_lines(change: OutputChange, manner: Manner) -> Iterator[Line]:
    found = output_details(change, show_sensitive=manner.show_sensitive, exact=manner.exact, pairing=manner.pairing)
    for one in found:
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
    """Yield all items in groups, each with its heading; that of the resource instances is empty.

    The groups are lazy, so that the first of many items can be printed at once.
    """
    groups = {
        "": resource_items(changes, manner, across),
        "Outputs": _output_items(changes, manner),
        "Check results": _check_items(changes),
        "State": _envelope_items(changes, manner),
    }
    for heading, found in groups.items():
        first = next(found, None)
        if first is not None:
            yield heading, chain([first], found)
