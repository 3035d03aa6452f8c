"""Holds the text after a repair against the text before: what was not to change is equal to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Set as AbstractSet
from typing import Final, NamedTuple

from tests.edit.repairs.json_spans import Part, parts_of

Path = tuple[str, ...]
# Behind the last element of an array.
APPENDED: Final = "-"


class _Pair(NamedTuple):
    """The numbers of an item in both texts; None where a text does not have it."""

    before: int | None
    after: int | None


def differences(before: bytes, after: bytes, changed: AbstractSet[Path]) -> list[str]:
    """What differs between two texts and is neither at nor under the paths in `changed`, a line each.

    Paths are those of the text before; a name is compared in any letters. An element at one of them may be missing.
    """
    old, new = parts_of(before), parts_of(after)
    lower = {tuple(name.lower() for name in path) for path in changed}
    above = {path[:length] for path in lower for length in range(len(path))}
    edges = [] if (before[: old.start], before[old.end :]) == (after[: new.start], after[new.end :]) else ["/: edges"]
    return [*edges, *_Comparison(lower, above).of(old, new, ())]


class _Comparison:
    def __init__(self, changed: AbstractSet[Path], above: AbstractSet[Path]) -> None:
        self._changed, self._above = changed, above

    def of(self, old: Part, new: Part, path: Path) -> Iterator[str]:
        if old.raw == new.raw or path in self._changed:
            return
        if path not in self._above or old.opening != new.opening or old.opening not in (b"{", b"["):
            yield f"/{'/'.join(path)}: {old.raw[:60]!r} is now {new.raw[:60]!r}"
            return
        pairs = self._members(old, new, path) if old.opening == b"{" else self._elements(old, new, path)
        if pairs is None:
            yield f"/{'/'.join(path)}: items {_names(old)} are now {_names(new)}"
            return
        yield from self._gaps(old, new, pairs, path)
        for pair in pairs:
            if pair.before is not None and pair.after is not None:
                one, other = old.items[pair.before], new.items[pair.after]
                below = (*path, one.name.lower() if old.opening == b"{" else str(pair.before))
                if one.head != other.head:
                    yield f"/{'/'.join(below)}: {one.head!r} is now {other.head!r}"
                yield from self.of(one, other, below)

    def _members(self, old: Part, new: Part, path: Path) -> list[_Pair] | None:
        """The members in pairs by their names, in order; None if one is missing or new that must not be."""
        pairs: list[_Pair] = []
        first = second = 0
        while first < len(old.items) or second < len(new.items):
            one = old.items[first] if first < len(old.items) else None
            other = new.items[second] if second < len(new.items) else None
            if one and other and one.name == other.name:
                pairs.append(_Pair(first, second))
                first, second = first + 1, second + 1
            elif one and (*path, one.name.lower()) in self._changed and self._is_gone(old, first, new, second):
                pairs.append(_Pair(first, None))
                first += 1
            elif other and (*path, other.name.lower()) in self._changed:
                pairs.append(_Pair(None, second))
                second += 1
            else:
                return None
        return pairs

    @staticmethod
    def _is_gone(old: Part, first: int, new: Part, second: int) -> bool:
        """Whether the text after has fewer members with a name left than the text before."""
        name = old.items[first].name
        return sum(item.name == name for item in old.items[first:]) > sum(
            item.name == name for item in new.items[second:]
        )

    def _elements(self, old: Part, new: Part, path: Path) -> list[_Pair] | None:
        """The elements in pairs, in order: those at changed paths may be gone, and new ones only follow all others."""
        failed: set[tuple[int, int]] = set()

        def aligned(first: int, second: int) -> list[_Pair] | None:
            if first == len(old.items):
                rest = range(second, len(new.items))
                return [_Pair(None, number) for number in rest] if not rest or may_grow else None
            if (first, second) in failed:
                return None
            below = (*path, str(first))
            is_same = second < len(new.items) and new.items[second].raw == old.items[first].raw
            may_pair = second < len(new.items) and (is_same or below in self._changed or below in self._above)
            # An equal one is the same one; else it is rather gone than another.
            ways = [(first, second)] if may_pair else []
            if below in self._changed:
                ways.insert(1 if is_same else 0, (first, -1))
            for one, other in ways:
                rest_of = aligned(first + 1, second if other < 0 else second + 1)
                if rest_of is not None:
                    return [_Pair(one, None if other < 0 else other), *rest_of]
            failed.add((first, second))
            return None

        may_grow = (*path, APPENDED) in self._changed
        return aligned(0, 0)

    @staticmethod
    def _gaps(old: Part, new: Part, pairs: list[_Pair], path: Path) -> Iterator[str]:
        """White space and commas: an item keeps what is before it, and the first one has that of the first one."""
        for pair in pairs:
            # The first item has no gap of its own behind a new one: it had no comma.
            if pair.after is None or pair.before is None or (pair.after and not pair.before):
                continue
            expected = old.gap(pair.before if pair.after else 0)
            if new.gap(pair.after) != expected:
                yield f"/{'/'.join(path)}: {expected!r} before item {pair.after} is now {new.gap(pair.after)!r}"
        both = old.items and new.items
        if both and old.gap(len(old.items)) != new.gap(len(new.items)):
            yield f"/{'/'.join(path)}: the white space at the end"


def _names(part: Part) -> list[str]:
    return [item.name or item.raw[:20].decode("utf-8", "replace") for item in part.items]
