"""Where two values differ: path by path, with sensitive parts hidden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from statefmt.analysis.diff._places import places
from statefmt.analysis.diff.plain import Crossing, plain, with_sets
from statefmt.golang import JSONValue, Members
from statefmt.redaction.hidden import HIDDEN, Hidden


class NoValue:
    """The type of ABSENT."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = NoValue()


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One place at which two values differ; `old` or `new` is ABSENT where only the other side has it.

    `path` holds the names and positions that lead there. Where it goes through a text that is JSON, a Crossing stands
    in it. With `is_element`, the two are elements of the set at `path`. `hidden`: both are sensitive and not shown.
    """

    path: tuple[str | int | Crossing, ...]
    old: JSONValue | NoValue
    new: JSONValue | NoValue
    is_element: bool = False

    @property
    def hidden(self) -> bool:
        """Whether a side of it is sensitive, so that neither can be shown."""
        return isinstance(self.old, Hidden) or isinstance(self.new, Hidden)


def value_changes(
    old: JSONValue, new: JSONValue, shown_old: JSONValue, shown_new: JSONValue, *, exact: bool
) -> tuple[ValueChange, ...]:
    """Where `new` differs from `old`; `shown_old` and `shown_new` are the same with HIDDEN in the sensitive places.

    Numbers are compared by value and texts that are JSON as JSON; with `exact`, both are compared as text. Two values
    in which nothing else differs (repeated members) differ as a whole.
    """
    whole = _hidden_alike(shown_old, shown_new)
    try:
        found = tuple(_found(old, new, shown_old, shown_new, exact))
    except (RecursionError, LookupError):
        # Nested too deeply, or laid out in another way where something is hidden.
        found = ()
    return _merged(found) or (ValueChange((), *whole),)


def _found(
    old: JSONValue, new: JSONValue, shown_old: JSONValue, shown_new: JSONValue, exact: bool
) -> Iterator[ValueChange]:
    for steps, on_old, on_new, element in places(*with_sets(plain(old, exact=exact), plain(new, exact=exact))):
        depth = min(_hidden_at(shown_old, steps), _hidden_at(shown_new, steps))
        if depth < len(steps) or (element is not None and depth == len(steps)):
            # What is hidden has no names and no size either. Both sides have it, else it would differ as a whole.
            yield ValueChange(_path(old, steps[:depth]), HIDDEN, HIDDEN)
            continue
        path = _path(old if on_old else new, steps)
        if element is not None:
            yield ValueChange(path, element if on_old else ABSENT, element if on_new else ABSENT, True)
            continue
        before = _at(shown_old, steps) if on_old else ABSENT
        now = _at(shown_new, steps) if on_new else ABSENT
        yield ValueChange(path, *_hidden_alike(before, now))


def _hidden_at(value: JSONValue, steps: Sequence[str | int]) -> int:
    """How many of the steps lead to what is hidden; more than there are where none do.

    A list with something hidden in it counts: as a set, it has no place for it.
    """
    for depth, step in enumerate(steps):
        if isinstance(value, Hidden):
            return depth
        value = Crossing.inside(value)
        if isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            value = dict(_members(value)).get(str(step))
    inside = value if isinstance(value, list) else [value]
    return len(steps) if any(isinstance(item, Hidden) for item in inside) else len(steps) + 1


def _at(value: JSONValue, steps: Sequence[str | int]) -> JSONValue:
    """What stands at some steps."""
    for step in steps:
        value = Crossing.inside(value)
        value = value[step] if isinstance(value, list) and isinstance(step, int) else dict(_members(value))[str(step)]
    return value


def _path(value: JSONValue, steps: Sequence[str | int]) -> tuple[str | int | Crossing, ...]:
    """The steps with a Crossing where they enter a text that is JSON."""
    path: list[str | int | Crossing] = []
    for step in steps:
        if isinstance(value, str):
            path.append(Crossing())
            value = Crossing.inside(value)
        path.append(step)
        value = value[step] if isinstance(value, list) and isinstance(step, int) else dict(_members(value))[str(step)]
    return tuple(path)


def _members(value: JSONValue) -> Members:
    return value if isinstance(value, Members) else Members()


def _hidden_alike(
    old: JSONValue | NoValue, new: JSONValue | NoValue
) -> tuple[JSONValue | NoValue, JSONValue | NoValue]:
    """Both sides, hidden where one of them is: what is sensitive on one side is not to be read on the other."""
    if any(isinstance(side, Hidden) for side in (old, new)):
        return (old if old is ABSENT else HIDDEN), (new if new is ABSENT else HIDDEN)
    return old, new


def _merged(changes: Sequence[ValueChange]) -> tuple[ValueChange, ...]:
    """The changes by path, what is hidden told once for each place that is hidden as a whole."""
    seen: dict[object, ValueChange] = {}
    for change in changes:
        seen.setdefault((change.path, change.is_element, repr(change.old), repr(change.new)), change)
    return tuple(sorted(seen.values(), key=_order))


def _order(change: ValueChange) -> tuple[object, ...]:
    """By path; of the elements of a set, those that are gone first, then by value."""
    return [_step_order(step) for step in change.path], change.old is ABSENT, repr(change.old), repr(change.new)


def _step_order(step: str | int | Crossing) -> tuple[int, int, str]:
    return (0, step, "") if isinstance(step, int) else (1, 0, str(step))
