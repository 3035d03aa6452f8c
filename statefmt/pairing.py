"""Pairs the elements of two lists: equal ones first, then blocks by their content, with a limit for a whole run."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from decimal import Decimal
    from difflib import Match

PlainValue: TypeAlias = "bool | str | Decimal | list[PlainValue] | dict[str, PlainValue] | None"
# Positions in the old and in the new list.
Pairs: TypeAlias = list[tuple[int, int]]

# DeepDiff compares each remaining block with each block of the other side, which takes up to a millisecond.
MOST_PAIRS: Final = 400
# The most members and elements in these pairs: a block may be as large as a state.
_MOST_PARTS: Final = 60_000
# The most steps for each element: without a limit, the work may grow with the cube of the length.
_MOST_STEPS: Final = 1000


class BlockPairing:
    """Pairs blocks by content; DeepDiff compares at most MOST_PAIRS of them, so that one object serves a whole run."""

    def __init__(self) -> None:
        self._pairs_left = MOST_PAIRS
        self._parts_left = _MOST_PARTS

    def every(self, old: Sequence[PlainValue], new: Sequence[PlainValue]) -> Pairs | None:
        """Return pairs of all elements of two lists of one length; None if closest() returns None.

        Equal elements come first, then blocks with similar content; the rest is paired in turn.
        """
        keys = Keys()
        pairs = equal_pairs([keys.of(one) for one in old], [keys.of(other) for other in new])
        blocks, others = left(old, new, pairs, blocks_only=True)
        found = self.closest([old[place] for place in blocks], [new[place] for place in others], keys)
        if found is None:
            return None
        pairs += [(blocks[one], others[other]) for one, other in found]
        return [*pairs, *zip(*left(old, new, pairs), strict=True)]

    def closest(self, old: Sequence[PlainValue], new: Sequence[PlainValue], keys: Keys) -> Pairs | None:
        """Return pairs of blocks with similar content; None if finding them takes more pairs than are left.

        No block of one list equals one of the other. Blocks that differ only in the order of lists inside are paired
        first. Some blocks may stay without a partner.
        """
        pairs = _matched_in_turn([keys.unordered(one) for one in old], [keys.unordered(one) for one in new])
        before, after = (
            _distinct(side, keys, {pair[place] for pair in pairs}) for place, side in enumerate((old, new))
        )
        for kind in (dict, list):
            ones, others = (
                [places for places in groups if isinstance(side[places[0]], kind)]
                for groups, side in ((before, old), (after, new))
            )
            if not ones or not others:
                continue
            found = self._paired([old[one[0]] for one in ones], [new[one[0]] for one in others], keys)
            if found is None:
                return None
            for one, other in found:
                pairs += zip(ones[one], others[other], strict=False)
        return pairs

    def _paired(self, old: Sequence[PlainValue], new: Sequence[PlainValue], keys: Keys) -> Pairs | None:
        if len(old) == len(new) == 1:
            return [(0, 0)]
        count = len(old) * len(new)
        if count > self._pairs_left:
            return None
        # DeepDiff walks through all blocks first.
        parts = sum(keys.size(block) for block in (*old, *new))
        parts += _parts(old, new, keys, self._parts_left - parts)
        if parts > self._parts_left:
            return None
        self._pairs_left -= count
        self._parts_left -= parts
        try:
            return _paired_by_deepdiff(*([keys.shortened(one) for one in side] for side in (old, new)))
        except RecursionError:
            return None


def left(
    old: Sequence[PlainValue], new: Sequence[PlainValue], pairs: Pairs, *, blocks_only: bool = False
) -> tuple[list[int], list[int]]:
    """Return the positions of the elements of both lists that are in no pair."""
    ones, others = {one for one, _ in pairs}, {other for _, other in pairs}
    kinds = (dict, list) if blocks_only else object
    return (
        [place for place, one in enumerate(old) if place not in ones and isinstance(one, kinds)],
        [place for place, other in enumerate(new) if place not in others and isinstance(other, kinds)],
    )


def _distinct(blocks: Sequence[PlainValue], keys: Keys, done: set[int]) -> list[list[int]]:
    """Return the positions of blocks that are not done, in groups that differ only in the order inside."""
    groups: dict[int, list[int]] = {}
    for place, block in enumerate(blocks):
        if place not in done:
            groups.setdefault(keys.unordered(block), []).append(place)
    return list(groups.values())


def _paired_by_deepdiff(old: list[PlainValue], new: list[PlainValue]) -> Pairs:
    # Imported here because it takes longer than most commands, and few lists of blocks differ.
    from deepdiff import DeepDiff

    found = DeepDiff(
        old,
        new,
        view="tree",
        ignore_order=True,
        # By default, a removed duplicate would not count.
        report_repetition=True,
        # By default, names that begin with `__` would be ignored.
        ignore_private_variables=False,
        # By default, blocks would have no partner where much differs.
        threshold_to_diff_deeper=0,
        cutoff_distance_for_pairs=1.0,
        cutoff_intersection_for_pairs=1.0,
    )
    before, after = ({id(block): place for place, block in enumerate(side)} for side in (old, new))
    pairs: dict[int, int] = {}
    for levels in found.values():
        for level in levels:
            while level.up is not None and level.up.up is not None:
                level = level.up  # noqa: PLW2901 - climbs to the two blocks in which the difference is
            if id(level.t1) in before and id(level.t2) in after:
                pairs[before[id(level.t1)]] = after[id(level.t2)]
    return sorted(pairs.items())


def _parts(old: Iterable[PlainValue], new: Iterable[PlainValue], keys: Keys, most: int) -> int:
    """Return how many parts DeepDiff compares to pair the elements of two lists, or a number above `most`.

    It compares all combinations to find pairs, also in nested lists, and then each pair once more.
    """
    before, after = ({keys.unordered(item): item for item in side} for side in (old, new))
    count = 0
    for key, one in before.items():
        for other_key, other in after.items():
            if key in after or other_key in before:
                continue
            count += 1
            if isinstance(one, dict) and isinstance(other, dict):
                count += len(one) + len(other)
                for name in one.keys() & other.keys():
                    count += _parts([one[name]], [other[name]], keys, most - count)
                    if count > most:
                        return count
            elif isinstance(one, list) and isinstance(other, list):
                count += len(one) + len(other) + 2 * _parts(one, other, keys, most - count)
            if count > most:
                return count
    return count


class Keys:
    """Gives each distinct value a number, so that comparing two values takes one step; numbers are equal by value."""

    def __init__(self) -> None:
        # By the identity of lists and objects; keeping the objects keeps the identities unique.
        self._seen: dict[int, tuple[PlainValue, int]] = {}
        self._numbers: dict[Hashable, int] = {}
        # By the number of a value.
        self._sizes: dict[int, int] = {}
        self._unordered: dict[int, int] = {}
        self._shortened: dict[int, PlainValue] = {}

    def of(self, value: PlainValue) -> int:
        """Return the number of a value. Raises RecursionError."""
        seen = self._seen.get(id(value))
        if seen is not None:
            return seen[1]
        key: Hashable
        if isinstance(value, dict):
            key = frozenset([(name, self.of(part)) for name, part in value.items()])
        elif isinstance(value, list):
            key = tuple([self.of(part) for part in value])
        else:
            # True equals 1 in Python.
            return self._numbers.setdefault((type(value), value), len(self._numbers))
        number = self._numbers.setdefault((type(value), key), len(self._numbers))
        self._seen[id(value)] = value, number
        return number

    def unordered(self, value: PlainValue) -> int:
        """Return a number that two values share if they differ only in the order of lists. Raises RecursionError."""
        number = self.of(value)
        if not isinstance(value, (dict, list)):
            return number
        if number not in self._unordered:
            key: Hashable
            if isinstance(value, dict):
                key = frozenset([(name, self.unordered(part)) for name, part in value.items()])
            else:
                key = tuple(sorted([self.unordered(part) for part in value]))
            key = "unordered", type(value), key
            self._unordered[number] = self._numbers.setdefault(key, len(self._numbers))
        return self._unordered[number]

    def size(self, value: PlainValue) -> int:
        """Return how many parts a value has, itself included. Raises RecursionError."""
        if not isinstance(value, (dict, list)):
            return 1
        number = self.of(value)
        if number not in self._sizes:
            parts = value.values() if isinstance(value, dict) else value
            self._sizes[number] = 1 + sum([self.size(part) for part in parts])
        return self._sizes[number]

    def shortened(self, value: PlainValue) -> PlainValue:
        """Return a value with short strings in place of its own; equal parts are one object. Raises RecursionError.

        DeepDiff would look for the lines that differ in two strings, and walk through equal parts.
        """
        if isinstance(value, str):
            return f"string {self.of(value)}"
        if not isinstance(value, (dict, list)):
            return value
        number = self.of(value)
        if number not in self._shortened and isinstance(value, dict):
            self._shortened[number] = {name: self.shortened(part) for name, part in value.items()}
        elif number not in self._shortened:
            self._shortened[number] = [self.shortened(part) for part in value]
        return self._shortened[number]


def equal_pairs(old: Sequence[int], new: Sequence[int]) -> Pairs:
    """Return pairs of equal elements, as many as there are, in order if that is possible; elements are numbers."""
    in_turn = _matched_in_turn(old, new)
    # Without repetition, there are no other pairs.
    repeats = len(set(old)) < len(old) or len(set(new)) < len(new)
    ranges = matched(old, new) if repeats and crosses(in_turn) else None
    if ranges is None:
        return in_turn
    pairs: Pairs = []
    start = new_start = 0
    for end, next_start, new_end, next_new in (*ranges, (len(old), 0, len(new), 0)):
        pairs += zip(range(start, end), range(new_start, new_end), strict=True)
        start, new_start = next_start, next_new
    # Elements that are equal, but not in order.
    return pairs if len(pairs) == len(in_turn) else in_turn


def crosses(pairs: Iterable[tuple[int, int]]) -> bool:
    """Return whether the elements of pairs are in different orders in the two lists."""
    return any(one[1] > other[1] for one, other in pairwise(sorted(pairs)))


def matched(old: Sequence[Hashable], new: Sequence[Hashable]) -> Sequence[tuple[int, int, int, int]] | None:
    """Return the ranges of the old and of the new list that differ; None if finding them takes too many steps."""
    # Imported here because few lists differ.
    from difflib import SequenceMatcher

    # An element is compared with all equal ones.
    counts = Counter(new)
    steps = list(accumulate((1 + counts[item] for item in old), initial=0))
    left = _MOST_STEPS * (len(old) + len(new))

    class Matcher(SequenceMatcher[Hashable]):
        def find_longest_match(
            self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
        ) -> Match:
            nonlocal left
            left -= steps[-1 if ahi is None else ahi] - steps[alo]
            if left < 0:
                raise _TooMuchError
            return super().find_longest_match(alo, ahi, blo, bhi)

    try:
        opcodes = Matcher(None, old, new, autojunk=False).get_opcodes()
    except _TooMuchError:
        return None
    return [opcode[1:] for opcode in opcodes if opcode[0] != "equal"]


class _TooMuchError(Exception):
    """Two lists need too many steps."""


def _matched_in_turn(old: Sequence[int], new: Sequence[int]) -> Pairs:
    """Pair the first of equal elements with the first, the second with the second."""
    waiting: Mapping[int, deque[int]] = defaultdict(deque)
    for place, key in enumerate(old):
        waiting[key].append(place)
    return sorted((waiting[key].popleft(), place) for place, key in enumerate(new) if waiting.get(key))
