"""Lists the paths at which two values differ, with sensitive parts hidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from statefmt.analysis.diff._places import Order, ValuePlace, places
from statefmt.analysis.diff.plain import Crossing, plain
from statefmt.golang import JSONValue, Members
from statefmt.redaction.hidden import HIDDEN, Hidden
from statefmt.redaction.partial import contains_hidden

if TYPE_CHECKING:
    # Most comparisons have no schemas.
    from statefmt.model.cty import Type
    from statefmt.pairing import BlockPairing


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
    A position is that in the old list, or in the new one if only that has the element. With `is_element`, the two are
    elements of the set at `path`.

    Two more things are said of a list, without values. `order` is its new order: for each element, its position in the
    old list, or None if it was added. With `by_position`, its blocks were compared with those at the same positions,
    because the run had too many of them to pair all by content.
    """

    path: tuple[str | int | Crossing, ...]
    old: JSONValue | NoValue
    new: JSONValue | NoValue
    is_element: bool = False
    order: Order | None = None
    by_position: bool = False

    @property
    def hidden(self) -> bool:
        """Whether a side is sensitive, so that neither can be shown."""
        return isinstance(self.old, Hidden) or isinstance(self.new, Hidden)


def value_changes(
    old: JSONValue,
    new: JSONValue,
    shown_old: JSONValue,
    shown_new: JSONValue,
    *,
    exact: bool,
    pairing: BlockPairing | None = None,
    of: Type | None = None,
) -> tuple[ValueChange, ...]:
    """Return where `new` differs from `old`.

    Numbers are compared by value and strings that contain JSON as JSON; with `exact`, both are compared as written.
    Blocks in lists are compared with those of similar content. If no difference is found inside (repeated members), the
    values differ as a whole.

    Args:
        old: The old value.
        new: The new value.
        shown_old: The old value with HIDDEN for sensitive parts.
        shown_new: The same of the new value.
        exact: Compare numbers and strings as written.
        pairing: Pairs the blocks of all lists that a run compares, as many as it may.
        of: The type of both values, if a schema gives it: sets have no order.
    """
    whole = _hidden_alike(shown_old, shown_new)
    try:
        different = places(plain(old, exact=exact), plain(new, exact=exact), pairing, of)
        found = tuple(_found(different, old, new, shown_old, shown_new))
    except (RecursionError, LookupError):
        # Nested too deeply, or of another structure where something is hidden.
        found = ()
    return _merged(found) or (ValueChange((), *whole),)


def _found(
    different: Iterable[ValuePlace], old: JSONValue, new: JSONValue, shown_old: JSONValue, shown_new: JSONValue
) -> Iterator[ValueChange]:
    parts = _Parts()
    for place in different:
        steps, new_steps = place.steps, place.new_steps or place.steps
        inside = place.order is None
        depth = min(
            parts.hidden_at(shown_old, steps, inside=inside), parts.hidden_at(shown_new, new_steps, inside=inside)
        )
        if depth < len(steps) or (depth == len(steps) and (place.element is not None or place.order)):
            # What is in a hidden value is hidden, too. Both sides have it, or it would differ as a whole.
            yield ValueChange(parts.path(old, steps[:depth], steps), HIDDEN, HIDDEN)
            continue
        path = parts.path(old, steps, steps) if place.on_old else parts.path(new, new_steps, steps)
        if place.order is not None or place.by_position:
            yield ValueChange(path, ABSENT, ABSENT, order=place.order, by_position=place.by_position)
        elif place.element is not None:
            element = place.element
            yield ValueChange(path, element if place.on_old else ABSENT, element if place.on_new else ABSENT, True)
        else:
            before = parts.at(shown_old, steps) if place.on_old else ABSENT
            now = parts.at(shown_new, new_steps) if place.on_new else ABSENT
            yield ValueChange(path, *_hidden_alike(before, now))


class _Parts:
    """Follows steps into values; what is in each value is found out once, as many changes may be in one."""

    def __init__(self) -> None:
        # By the identity of values, which are kept so that it stays theirs.
        self._inside: dict[int, tuple[JSONValue, JSONValue]] = {}
        self._named: dict[int, tuple[JSONValue, Mapping[str, JSONValue]]] = {}
        self._with_hidden: dict[int, tuple[JSONValue, bool]] = {}

    def hidden_at(self, value: JSONValue, steps: Sequence[str | int], *, inside: bool) -> int:
        """Return how many of the steps lead to a hidden value; more than there are if none do.

        A list with a hidden element counts as hidden: if it is a set, the element has no position in it. With
        `inside`, so does a list with an element that has a hidden part: the whole element would be shown.
        """
        for depth, step in enumerate(steps):
            if isinstance(value, Hidden):
                return depth
            value = self._crossed(value)
            if isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                value = self._members(value).get(str(step))
        if inside:
            return len(steps) if self._holds_hidden(value) else len(steps) + 1
        elements = value if isinstance(value, list) else [value]
        return len(steps) if any(isinstance(item, Hidden) for item in elements) else len(steps) + 1

    def at(self, value: JSONValue, steps: Sequence[str | int]) -> JSONValue:
        """Return the part to which steps lead. Raises LookupError."""
        for step in steps:
            value = self._next(self._crossed(value), step)
        return value

    def path(
        self, value: JSONValue, steps: Sequence[str | int], named: Sequence[str | int]
    ) -> tuple[str | int | Crossing, ...]:
        """Return the steps in `named`, with a Crossing where `steps` lead into a string that contains JSON.

        Raises LookupError.
        """
        path: list[str | int | Crossing] = []
        for step, name in zip(steps, named, strict=False):
            if isinstance(value, str):
                path.append(Crossing())
                value = self._crossed(value)
            path.append(name)
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
        what = change.is_element, change.order, change.by_position
        seen.setdefault((change.path, what, repr(change.old), repr(change.new)), change)
    return tuple(sorted(seen.values(), key=_order))


def _order(change: ValueChange) -> tuple[object, ...]:
    """Return the sort key: by path; among the elements of a set, removed ones first, then by value."""
    return [_step_order(step) for step in change.path], change.old is ABSENT, repr(change.old), repr(change.new)


def _step_order(step: str | int | Crossing) -> tuple[int, int, str]:
    return (0, step, "") if isinstance(step, int) else (1, 0, str(step))
