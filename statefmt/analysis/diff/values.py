"""Lists the paths at which two values differ, with sensitive parts hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from statefmt.analysis.diff._places import places
from statefmt.analysis.diff.plain import Crossing, plain, with_sets
from statefmt.golang import JSONValue, Members
from statefmt.redaction.hidden import HIDDEN, Hidden
from statefmt.redaction.partial import contains_hidden


class NoValue:
    """The type of ABSENT."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = NoValue()


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A place at which two values differ; `old` or `new` is ABSENT if only the other side has it.

    `path` has the names and positions that lead there, with a Crossing at each step into a string that contains JSON.
    With `is_element`, the two are elements of the set at `path`.
    """

    path: tuple[str | int | Crossing, ...]
    old: JSONValue | NoValue
    new: JSONValue | NoValue
    is_element: bool = False

    @property
    def hidden(self) -> bool:
        """Whether a side is sensitive, so that neither can be shown."""
        return isinstance(self.old, Hidden) or isinstance(self.new, Hidden)


def value_changes(
    old: JSONValue, new: JSONValue, shown_old: JSONValue, shown_new: JSONValue, *, exact: bool
) -> tuple[ValueChange, ...]:
    """Return where `new` differs from `old`; `shown_old` and `shown_new` are the same with HIDDEN for sensitive parts.

    Numbers are compared by value and strings that contain JSON as JSON; with `exact`, both are compared as written. If
    no difference is found inside (repeated members), the values differ as a whole.
    """
    whole = _hidden_alike(shown_old, shown_new)
    try:
        found = tuple(_found(old, new, shown_old, shown_new, exact))
    except (RecursionError, LookupError):
        # Nested too deeply, or of another structure where something is hidden.
        found = ()
    return _merged(found) or (ValueChange((), *whole),)


def _found(
    old: JSONValue, new: JSONValue, shown_old: JSONValue, shown_new: JSONValue, exact: bool
) -> Iterator[ValueChange]:
    parts = _Parts()
    found = places(*with_sets(plain(old, exact=exact), plain(new, exact=exact)))
    for steps, on_old, on_new, element, other_steps in found:
        new_steps = other_steps or steps
        depth = min(parts.hidden_at(shown_old, steps), parts.hidden_at(shown_new, new_steps))
        if depth < len(steps) or (element is not None and depth == len(steps)):
            # Names and size of a hidden value are hidden, too. Both sides have it, or it would differ as a whole.
            yield ValueChange(parts.path(old, steps[:depth]), HIDDEN, HIDDEN)
            continue
        path = parts.path(old if on_old else new, steps)
        if element is not None:
            yield ValueChange(path, element if on_old else ABSENT, element if on_new else ABSENT, True)
            continue
        before = parts.at(shown_old, steps) if on_old else ABSENT
        now = parts.at(shown_new, new_steps) if on_new else ABSENT
        yield ValueChange(path, *_hidden_alike(before, now))


class _Parts:
    """Follows steps into values; what is in each value is found out once, as many changes may be in one."""

    def __init__(self) -> None:
        # By the identity of values, which are kept so that it stays theirs.
        self._inside: dict[int, tuple[JSONValue, JSONValue]] = {}
        self._named: dict[int, tuple[JSONValue, Mapping[str, JSONValue]]] = {}
        self._with_hidden: dict[int, tuple[JSONValue, bool]] = {}

    def hidden_at(self, value: JSONValue, steps: Sequence[str | int]) -> int:
        """Return how many of the steps lead to a hidden value; more than there are if none do.

        A list that contains a hidden value counts as hidden: if it is a set, the value has no position in it.
        """
        for depth, step in enumerate(steps):
            if isinstance(value, Hidden):
                return depth
            value = self._crossed(value)
            if isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                value = self._members(value).get(str(step))
        return len(steps) if self._holds_hidden(value) else len(steps) + 1

    def at(self, value: JSONValue, steps: Sequence[str | int]) -> JSONValue:
        """Return the part to which steps lead. Raises LookupError."""
        for step in steps:
            value = self._next(self._crossed(value), step)
        return value

    def path(self, value: JSONValue, steps: Sequence[str | int]) -> tuple[str | int | Crossing, ...]:
        """Return the steps with a Crossing at each step into a string that contains JSON. Raises LookupError."""
        path: list[str | int | Crossing] = []
        for step in steps:
            if isinstance(value, str):
                path.append(Crossing())
                value = self._crossed(value)
            path.append(step)
            value = self._next(value, step)
        return tuple(path)

    def _next(self, value: JSONValue, step: str | int) -> JSONValue:
        return value[step] if isinstance(value, list) and isinstance(step, int) else self._members(value)[str(step)]

    def _crossed(self, value: JSONValue) -> JSONValue:
        if not isinstance(value, str):
            return Crossing.inside(value)
        if id(value) not in self._inside:
            self._inside[id(value)] = value, Crossing.inside(value)
        return self._inside[id(value)][1]

    def _members(self, value: JSONValue) -> Mapping[str, JSONValue]:
        if not isinstance(value, Members):
            return {}
        if id(value) not in self._named:
            self._named[id(value)] = value, dict(value)
        return self._named[id(value)][1]

    def _holds_hidden(self, value: JSONValue) -> bool:
        if not isinstance(value, list):
            return isinstance(value, Hidden)
        if id(value) not in self._with_hidden:
            self._with_hidden[id(value)] = value, contains_hidden(value)
        return self._with_hidden[id(value)][1]


def _hidden_alike(
    old: JSONValue | NoValue, new: JSONValue | NoValue
) -> tuple[JSONValue | NoValue, JSONValue | NoValue]:
    """Hide both sides if one is hidden: the other must not reveal a value that is sensitive on one side."""
    if any(isinstance(side, Hidden) for side in (old, new)):
        return (old if old is ABSENT else HIDDEN), (new if new is ABSENT else HIDDEN)
    return old, new


def _merged(changes: Sequence[ValueChange]) -> tuple[ValueChange, ...]:
    """Return the changes by path, with one change for each place that is hidden as a whole."""
    seen: dict[object, ValueChange] = {}
    for change in changes:
        seen.setdefault((change.path, change.is_element, repr(change.old), repr(change.new)), change)
    return tuple(sorted(seen.values(), key=_order))


def _order(change: ValueChange) -> tuple[object, ...]:
    """Return the sort key: by path; among the elements of a set, removed ones first, then by value."""
    return [_step_order(step) for step in change.path], change.old is ABSENT, repr(change.old), repr(change.new)


def _step_order(step: str | int | Crossing) -> tuple[int, int, str]:
    return (0, step, "") if isinstance(step, int) else (1, 0, str(step))
