"""Formats the differences in check results: statuses and messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from statefmt.analysis.diff.model import CheckResultsChange
from statefmt.golang import quote
from statefmt.model.snapshot import CheckObject, CheckResult
from statefmt.render.printable import printable

_Checked: TypeAlias = CheckResult | CheckObject
# Sign, label, old text, new text.
CheckLine: TypeAlias = tuple[str, str, str | None, str | None]


def check_lines(change: CheckResultsChange) -> Mapping[str, tuple[CheckLine, ...]]:
    """Return printable differences by the address of the checked construct."""
    return {address: tuple(_lines(old, new)) for address, old, new in change.differing}


def _lines(old: CheckResult | None, new: CheckResult | None) -> Iterator[CheckLine]:
    yield from _status("", old, new)
    before = {obj.object_addr: obj for obj in old.objects} if old else {}
    after = {obj.object_addr: obj for obj in new.objects} if new else {}
    for address in {**before, **after}:
        one, other = before.get(address), after.get(address)
        label = printable(address)
        yield from _status(label, one, other)
        old_messages, new_messages = (obj.failure_messages if obj else () for obj in (one, other))
        had, has = set(old_messages), set(new_messages)
        yield from (("-", label, quote(message), None) for message in old_messages if message not in has)
        yield from (("+", label, None, quote(message)) for message in new_messages if message not in had)


def _status(label: str, one: _Checked | None, other: _Checked | None) -> Iterator[CheckLine]:
    old = None if one is None else printable(one.status)
    new = None if other is None else printable(other.status)
    if old != new:
        yield "+" if old is None else "-" if new is None else "~", label, old, new
