"""Lists the paths at which two values differ, with sensitive parts hidden."""

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
    inside = _Insides()
    for steps, on_old, on_new, element in places(*with_sets(plain(old, exact=exact), plain(new, exact=exact))):
        depth = min(_hidden_at(shown_old, steps, inside), _hidden_at(shown_new, steps, inside))
        if depth < len(steps) or (element is not None and depth == len(steps)):
            # Names and size of a hidden value are hidden, too. Both sides have it, or it would differ as a whole.
            yield ValueChange(_path(old, steps[:depth], inside), HIDDEN, HIDDEN)
            continue
        path = _path(old if on_old else new, steps, inside)
        if element is not None:
            yield ValueChange(path, element if on_old else ABSENT, element if on_new else ABSENT, True)
            continue
        before = _at(shown_old, steps, inside) if on_old else ABSENT
        now = _at(shown_new, steps, inside) if on_new else ABSENT
        yield ValueChange(path, *_hidden_alike(before, now))


def _hidden_at(value: JSONValue, steps: Sequence[str | int], inside: _Insides) -> int:
    """Return how many of the steps lead to a hidden value; more than there are if none do.

    A list that contains a hidden value counts as hidden: if it is a set, the value has no position in it.
    """
    for depth, step in enumerate(steps):
        if isinstance(value, Hidden):
            return depth
        value = inside.of(value)
        if isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            value = inside.members(value).get(str(step))
    items = value if isinstance(value, list) else [value]
    return len(steps) if any(isinstance(item, Hidden) for item in items) else len(steps) + 1


def _at(value: JSONValue, steps: Sequence[str | int], inside: _Insides) -> JSONValue:
    for step in steps:
        value = inside.of(value)
        value = value[step] if isinstance(value, list) and isinstance(step, int) else inside.members(value)[str(step)]
    return value


def _path(value: JSONValue, steps: Sequence[str | int], inside: _Insides) -> tuple[str | int | Crossing, ...]:
    """Return the steps with a Crossing at each step into a string that contains JSON."""
    path: list[str | int | Crossing] = []
    for step in steps:
        if isinstance(value, str):
            path.append(Crossing())
            value = inside.of(value)
        path.append(step)
        value = value[step] if isinstance(value, list) and isinstance(step, int) else inside.members(value)[str(step)]
    return tuple(path)


class _Insides:
    """What is inside of values, computed once for each value, so that the time is linear in the differences."""

    def __init__(self) -> None:
        # By identity; the values are kept, so that no other gets the same one.
        self._found: dict[int, tuple[JSONValue, JSONValue]] = {}
        self._members: dict[int, tuple[JSONValue, dict[str, JSONValue]]] = {}

    def of(self, value: JSONValue) -> JSONValue:
        """Return the value in a string that contains JSON; any other value itself."""
        if not isinstance(value, str):
            return value
        if id(value) not in self._found:
            self._found[id(value)] = value, Crossing.inside(value)
        return self._found[id(value)][1]

    def members(self, value: JSONValue) -> dict[str, JSONValue]:
        """Return the members of an object by name, the last of repeated ones; none of anything else."""
        if not isinstance(value, Members):
            return {}
        if id(value) not in self._members:
            self._members[id(value)] = value, dict(value)
        return self._members[id(value)][1]


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
