"""Finds the places where two plain values differ: numbers by value, JSON in strings as JSON."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from msgspec import Struct

from statefmt.golang import JSONValue, Members, NumberText, loads_exact

if TYPE_CHECKING:
    from statefmt.model.cty import Type
    from statefmt.pairing import BlockPairing, Keys, Pairs


_ValueSteps: TypeAlias = tuple[str | int, ...]
_Places: TypeAlias = "list[ValuePlace]"
# For each element of the new list, its position in the old one; None if it was added.
Order: TypeAlias = tuple[int | None, ...]
# Default values, which do not identify a block.
_SAYING_NOTHING: Final[tuple[Plain, ...]] = (None, False, "", [], {})
# The maximum number of comparisons, and of rounds, for exchanging the partners of blocks.
_MOST_EXCHANGES: Final = 2_000
_MOST_ROUNDS: Final = 5
# More than the number of places in two blocks.
_FAR: Final = 10**9


class ValuePlace(NamedTuple):
    """A place where values differ, and its value on each side; `element` is an element of the set at `steps`.

    `new_steps` lead to the place on the new side if it differs, because preceding elements were added or removed.
    With `order`, the elements of the list at `steps` have another order. With `by_position`, its blocks were compared
    by position, as they were too many to be paired by content.
    """

    steps: _ValueSteps
    on_old: bool = True
    on_new: bool = True
    element: str | None = None
    new_steps: _ValueSteps | None = None
    order: Order | None = None
    by_position: bool = False


def places(old: Plain, new: Plain, pairing: BlockPairing | None = None, of: Type | None = None) -> Iterator[ValuePlace]:
    """Yield the innermost places where two values differ.

    Args:
        old: The old value.
        new: The new value.
        pairing: Pairs the blocks of all lists that a run compares; without it, the lists of these values are a
            separate run.
        of: The type of the values, if it is known: the order of a set is no difference.

    Raises RecursionError for values that are nested too deeply.
    """
    yield from _Comparison(pairing).places(old, new, _Steps((), ()), of)


class _Steps(NamedTuple):
    """The steps to two compared values."""

    old: _ValueSteps
    new: _ValueSteps

    def to(self, old: str | int, new: str | int) -> _Steps:
        return _Steps((*self.old, old), (*self.new, new))

    def place(self, *, on_old: bool = True, on_new: bool = True) -> ValuePlace:
        return ValuePlace(self.old, on_old=on_old, on_new=on_new, new_steps=None if self.old == self.new else self.new)

    def removed(self, step: str | int) -> ValuePlace:
        return self.to(step, step).place(on_new=False)

    def added(self, step: str | int) -> ValuePlace:
        return self.to(step, step).place(on_old=False)


class _Comparison:
    """One comparison. With `by_position`, it compares blocks in lists by position."""

    def __init__(self, pairing: BlockPairing | None, *, by_position: bool = False) -> None:
        self._pairing = pairing
        self._by_position = by_position
        self._keys: Keys | None = None

    def places(self, old: Plain, new: Plain, steps: _Steps, of: Type | None) -> Iterator[ValuePlace]:
        if isinstance(old, dict) and isinstance(new, dict):
            for name in {**old, **new}:
                if name not in new:
                    yield steps.removed(name)
                elif name not in old:
                    yield steps.added(name)
                else:
                    yield from self.places(old[name], new[name], steps.to(name, name), _part(of, name))
        elif isinstance(old, list) and isinstance(new, list):
            yield from self._in_lists(old, new, steps, of)
        elif type(old) is not type(new) or old != new:
            yield steps.place()

    def _in_lists(self, old: list[Plain], new: list[Plain], steps: _Steps, of: Type | None) -> Iterable[ValuePlace]:
        if not any(isinstance(item, (list, dict)) for side in (old, new) for item in side):
            return _in_scalars(old, new, steps)
        if self._by_position:
            return self._in_turn(old, new, steps, of)
        return self._in_blocks(old, new, steps, of)

    def _in_turn(self, old: list[Plain], new: list[Plain], steps: _Steps, of: Type | None) -> Iterator[ValuePlace]:
        for place, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from self.places(one, other, steps.to(place, place), _part(of, place))
        yield from map(steps.removed, range(len(new), len(old)))
        yield from map(steps.added, range(len(old), len(new)))

    def _in_blocks(self, old: list[Plain], new: list[Plain], steps: _Steps, of: Type | None) -> Iterable[ValuePlace]:
        """Compare two lists with blocks: pair equal elements, then blocks by content, and report a different order.

        Compares by position instead if that finds fewer places.
        """
        from statefmt.pairing import BlockPairing, Keys, crosses, equal_pairs

        self._keys, self._pairing = self._keys or Keys(), self._pairing or BlockPairing()
        before, after = ([self._keys.of(item) for item in side] for side in (old, new))
        if before == after:
            return ()
        lists = _Lists(old, new, equal_pairs(before, after), self._keys)
        changed, is_complete = lists.changed(self._pairing)
        inside: Mapping[tuple[int, int], _Places] = {
            (one, other): list(self.places(old[one], new[other], steps.to(one, other), _part(of, other)))
            for one, other in changed
        }
        is_set = of is not None and _is_set(of)
        if not is_set:
            inside = lists.without_needless_order(inside)
        pairs = sorted([*lists.same, *inside])
        sources = {other: one for one, other in pairs}
        kept = {one for one, _ in pairs}
        found = [place for each in inside.values() for place in each]
        found += [steps.removed(place) for place in range(len(old)) if place not in kept]
        found += [steps.added(place) for place in range(len(new)) if place not in sources]
        if not is_set and crosses(pairs):
            found.append(steps.place()._replace(order=tuple(map(sources.get, range(len(new))))))
        if not is_set and inside and any(one != other for one, other in pairs):
            in_turn = _Comparison(None, by_position=True)._in_turn(old, new, steps, of)
            by_position = list(islice(in_turn, len(found)))
            found = by_position if len(by_position) < len(found) else found
        return found if is_complete else [*found, steps.place()._replace(by_position=True)]


def _in_scalars(old: list[Plain], new: list[Plain], steps: _Steps) -> Sequence[ValuePlace]:
    """Compare two lists without blocks: as sets if they look like sets, else in order or by position."""
    ones, others = _set_of_strings(old), _set_of_strings(new)
    if ones is not None and others is not None:
        return [
            *(steps.place(on_new=False)._replace(element=item) for item in ones - others),
            *(steps.place(on_old=False)._replace(element=item) for item in others - ones),
        ]
    by_position = list(_scalars_in_turn(old, new, steps, 0, 0))
    if not by_position:
        return by_position
    from statefmt.pairing import matched

    # In Python, True equals 1.
    found = matched([(type(item), item) for item in old], [(type(item), item) for item in new])
    if found is None:
        return by_position
    by_match = [
        place
        for start, end, new_start, new_end in found
        for place in _scalars_in_turn(old[start:end], new[new_start:new_end], steps, start, new_start)
    ]
    return by_match if len(by_match) < len(by_position) or len(by_match) == 1 else by_position


def _scalars_in_turn(
    old: Sequence[Plain], new: Sequence[Plain], steps: _Steps, start: int, new_start: int
) -> Iterator[ValuePlace]:
    """Compare parts of two lists element by element; the parts begin at `start` and at `new_start`."""
    for number, (one, other) in enumerate(zip(old, new, strict=False)):
        if type(one) is not type(other) or one != other:
            yield steps.to(start + number, new_start + number).place()
    yield from map(steps.removed, range(start + len(new), start + len(old)))
    yield from map(steps.added, range(new_start + len(old), new_start + len(new)))


class _Lists(NamedTuple):
    """Two lists with blocks, and pairs of all equal elements."""

    old: list[Plain]
    new: list[Plain]
    same: Pairs
    keys: Keys

    def changed(self, pairing: BlockPairing) -> tuple[Pairs, bool]:
        """Return pairs of differing elements, and whether all blocks could be paired by content."""
        ones, others = self._left((), blocks_only=True)
        blocks, new_blocks = [self.old[place] for place in ones], [self.new[place] for place in others]
        found = pairing.closest(blocks, new_blocks, self.keys)
        pairs = [(ones[one], others[other]) for one, other in found or ()]
        # DeepDiff leaves blocks unpaired if several are equally close to another one.
        rest = zip(*self._left(pairs, blocks_only=True), strict=False)
        pairs += [(one, other) for one, other in rest if _are_comparable(self.old[one], self.new[other])]
        if found is not None:
            pairs = self._closer(pairs, *self._left(pairs, blocks_only=True))
        return [*pairs, *self._at_equal_positions(pairs)], found is not None

    def without_needless_order(self, inside: Mapping[tuple[int, int], _Places]) -> Mapping[tuple[int, int], _Places]:
        """Drop pairs of reordered blocks with nothing in common, if that keeps the order or shows fewer differences."""
        from statefmt.pairing import crosses

        apart = _crossing([*self.same, *inside])
        kept = {
            pair: each
            for pair, each in inside.items()
            if pair not in apart or self._share(self.old[pair[0]], self.new[pair[1]])
        }
        if len(kept) == len(inside):
            return inside
        is_ordered = not crosses([*self.same, *kept])
        lines = sum(map(len, inside.values())) + 1
        fewer = sum(map(len, kept.values())) + 2 * (len(inside) - len(kept)) + (not is_ordered)
        return kept if fewer < lines or (is_ordered and fewer == lines) else inside

    def _left(self, pairs: Iterable[tuple[int, int]], *, blocks_only: bool = False) -> tuple[list[int], list[int]]:
        from statefmt.pairing import left

        return left(self.old, self.new, [*self.same, *pairs], blocks_only=blocks_only)

    def _closer(self, pairs: Pairs, ones: Sequence[int], others: Sequence[int]) -> Pairs:
        """Exchange partners, also with the blocks at `ones` and `others`, if fewer parts then differ or move.

        DeepDiff takes the last of several equally close blocks, and does not reconsider.
        """
        rows: list[tuple[int | None, int | None]] = [*pairs, *((one, None) for one in ones)]
        rows += [(None, other) for other in others]
        if len(pairs) * len(rows) > _MOST_EXCHANGES:
            return pairs
        costs: dict[tuple[int, int], int] = {}

        def cost(one: int | None, other: int | None) -> tuple[int, int]:
            if one is None or other is None:
                return 0, 0
            if (one, other) not in costs:
                costs[one, other] = self._places_inside(one, other)
            return costs[one, other], (one - other) ** 2

        for _ in range(_MOST_ROUNDS):
            before = list(rows)
            for first in range(len(pairs)):
                for second in range(first + 1, len(rows)):
                    (one, other), (third, fourth) = rows[first], rows[second]
                    now, then = (
                        tuple(map(sum, zip(*both, strict=True)))
                        for both in ((cost(one, other), cost(third, fourth)), (cost(one, fourth), cost(third, other)))
                    )
                    if then < now:
                        rows[first], rows[second] = (one, fourth), (third, other)
            if rows == before:
                break
        return [(one, other) for one, other in rows if one is not None and other is not None]

    def _places_inside(self, one: int, other: int) -> int:
        """Count the places where two blocks differ, comparing nested blocks by position."""
        old, new = self.old[one], self.new[other]
        if not _are_comparable(old, new):
            return _FAR
        return sum(1 for _ in _Comparison(None, by_position=True).places(old, new, _Steps((), ()), None))

    def _at_equal_positions(self, pairs: Pairs) -> Pairs:
        """Pair the remaining elements with equal positions in both lists, unless that changes the order."""
        every = sorted([*self.same, *pairs])
        positions = [one for one, _ in every]
        highest = list(accumulate((other for _, other in every), max, initial=-1))
        lowest = list(accumulate((other for _, other in reversed(every)), min, initial=len(self.new)))[::-1]
        ones, others = self._left(pairs)
        both = set(others).intersection(ones)
        return [
            (place, place)
            for place in sorted(both)
            if highest[at := bisect_left(positions, place)] < place < lowest[at]
        ]

    def _share(self, one: Plain, other: Plain) -> bool:
        """Return whether two values have a significant part in common."""
        if isinstance(one, dict) and isinstance(other, dict):
            return any(name in other and self._share(part, other[name]) for name, part in one.items())
        if isinstance(one, list) and isinstance(other, list):
            found = ({self.keys.of(item) for item in side if item not in _SAYING_NOTHING} for side in (one, other))
            return not set.isdisjoint(*found)
        return one not in _SAYING_NOTHING and self.keys.of(one) == self.keys.of(other)


def _crossing(pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the pairs whose rank among the pairs differs between the lists."""
    every = sorted(pairs)
    highest = accumulate((other for _, other in every), max, initial=-1)
    lowest = list(accumulate((other for _, other in reversed(every)), min))[::-1]
    return {
        pair
        for pair, before, after in zip(every, highest, [*lowest[1:], len(every) + max(lowest, default=0)], strict=False)
        if not before < pair[1] < after
    }


def _are_comparable(old: Plain, new: Plain) -> bool:
    """Return whether two blocks are lists, or objects with a common name."""
    if isinstance(old, dict) and isinstance(new, dict):
        return not old.keys().isdisjoint(new)
    return isinstance(old, list) and isinstance(new, list)


def _part(of: Type | None, step: str | int) -> Type | None:
    """Return the type of a part of a value; None if it is not known."""
    if of is None:
        return None
    from statefmt.model.cty import ListType, MapType, ObjectType, SetType, TupleType

    if isinstance(of, ObjectType):
        return of.attributes.get(str(step))
    if isinstance(of, (ListType, MapType, SetType)):
        return of.element
    if isinstance(of, TupleType) and isinstance(step, int) and step < len(of.elements):
        return of.elements[step]
    return None


def _is_set(of: Type) -> bool:
    from statefmt.model.cty import SetType

    return isinstance(of, SetType)


Plain: TypeAlias = "bool | str | Decimal | list[Plain] | dict[str, Plain] | None"


class Crossing(Struct, frozen=True):
    """The step from a string into the JSON that it contains."""

    @staticmethod
    def inside(value: JSONValue) -> JSONValue:
        """Return the value encoded in a string; any other value unchanged."""
        if not isinstance(value, str) or isinstance(value, NumberText):
            return value
        inner = _json_in(value)
        return value if inner is None else inner

    def __str__(self) -> str:
        return ""


def plain(value: JSONValue, *, exact: bool) -> Plain:
    """Return a value with numbers as decimals, objects as dictionaries, and strings that contain JSON decoded.

    With `exact`, numbers and strings stay as written. A number that does not fit in a Decimal stays as written.
    """
    if isinstance(value, NumberText):
        return value if exact else _number(value)
    if isinstance(value, str):
        inner = None if exact else _json_in(value)
        return value if inner is None else plain(inner, exact=exact)
    if isinstance(value, Members):
        return {name: plain(item, exact=exact) for name, item in value}
    if isinstance(value, list):
        return [plain(item, exact=exact) for item in value]
    return value


def _set_of_strings(items: list[Plain]) -> frozenset[str] | None:
    """Return a list that looks like a set (sorted strings, as sets are written) as a set; None for other lists."""
    texts = [item for item in items if type(item) is str]
    if len(texts) < len(items) or any(one >= other for one, other in pairwise(texts)):
        return None
    return frozenset(texts)


def equal_values(one: Plain, other: Plain) -> bool:
    """Return whether two values are equal; unlike Python, distinguish true from 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal_values(item, other[name]) for name, item in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal_values, one, other))
    return type(one) is type(other) and one == other


def _number(text: NumberText) -> Decimal | str:
    try:
        return Decimal(text)
    except ArithmeticError:
        return text


def _json_in(text: str) -> JSONValue:
    """Return the object or array encoded in a string; None if there is none."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return loads_exact(text.encode())
    except ValueError:
        return None
