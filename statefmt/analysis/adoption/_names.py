"""Compares the names and keys in addresses, word by word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

from statefmt.analysis.adoption.model import MovingObject, NewInstance
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, AbsResourceInstance, InstanceKey, IntKey, StringKey

T = TypeVar("T")
# The name and the key of a module call or a resource.
NamedStep: TypeAlias = tuple[str, InstanceKey]
# Words of names that say nothing of an object but that it is one of several.
_NEUTRAL: Final = frozenset(
    {"main", "this", "default", "primary", "secondary", "replica", "copy", "other", "only", "single"}
    | {"first", "second", "third", "one", "two", "three"}
)
_WORD: Final = re.compile(r"[a-z]+|[0-9]+")
# An exact name, a name plus the key, and a name that was only a key.
_EXACT, _WITH_KEY, _ONLY_KEY = 100, 90, 80
_UNEXPLAINED: Final = 1000


class Likeness(NamedTuple):
    """How alike two addresses are: `key` is lower for keys without a counterpart."""

    key: int
    name: int
    is_alike: bool


def words_of(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text).lower()))


def steps_of(address: AbsResourceInstance) -> list[NamedStep]:
    steps = [(step.name, step.key) for step in address.module.steps]
    return [*steps, (address.resource.resource.name, address.key)]


def without_equal_ends(one: Sequence[T], other: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    """Return both sequences without their longest common end."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    common = next((count for count, (mine, theirs) in enumerate(pairs) if mine != theirs), min(len(one), len(other)))
    return one[: len(one) - common], other[: len(other) - common]


def differing_steps(source: MovingObject, target: NewInstance) -> tuple[Sequence[NamedStep], Sequence[NamedStep]]:
    """Return the steps of both addresses without their longest common end."""
    return without_equal_ends(steps_of(source.addr), steps_of(target.address))


def likeness(source: AbsResourceInstance, target: AbsResourceInstance, counted: Mapping[object, int]) -> Likeness:
    """Compare the names and keys of two addresses, without the steps at their ends that are equal."""
    steps = steps_of(source)
    mine, theirs = without_equal_ends(steps, steps_of(target))
    explained, unexplained = sum(len(key_words(key)) for _, key in steps[len(mine) :]), 0
    if not mine and not theirs:
        return Likeness(key=explained, name=_EXACT, is_alike=True)
    has = [word for name, key in mine for word in (*words_of(name), *key_words(key))]
    keys: list[str] = []
    for place, (_, key) in enumerate(reversed(theirs), 1):
        words = key_words(key)
        if key is NO_KEY:
            continue
        there = mine[-place] if place <= len(mine) else None
        number_fits = not isinstance(key, IntKey) or _is_counted(source, there, key, counted)
        # In this order: a peering of eu and us is not one of us and eu.
        if words and number_fits and has_run(has, words):
            explained += len(words)
            keys += words
        else:
            unexplained += 1
    name = _name_likeness(mine, theirs, keys)
    alike = not unexplained and name >= _ONLY_KEY and bool(keys or not theirs or name >= _WITH_KEY)
    return Likeness(key=explained - _UNEXPLAINED * unexplained, name=name, is_alike=alike)


def _name_likeness(mine: Sequence[NamedStep], theirs: Sequence[NamedStep], keys: Sequence[str]) -> int:
    if not mine or not theirs:
        return _ONLY_KEY // 2
    if NO_KEY not in (mine[-1][1], theirs[-1][1]) and mine[-1][1] != theirs[-1][1]:
        # Another instance of perhaps the same resource: the keys say more than the name.
        return 0
    one, other = words_of(mine[-1][0]), words_of(theirs[-1][0])
    rest = Counter(one) - Counter(keys)
    # Not in the same place, but with names that say the same.
    around = 0 if [name for name, _ in mine[:-1]] == [name for name, _ in theirs[:-1]] else 5
    own = Counter(key_words(mine[-1][1])) - Counter(keys)
    said = own if theirs[-1][1] is NO_KEY else Counter[str]()
    if said and rest + said == Counter(other):
        return _WITH_KEY - around
    if said and said == Counter(other):
        return _ONLY_KEY - around
    if not said and (mine[-1][0] == theirs[-1][0] or rest == Counter(other) or same_words(one, other)):
        return _WITH_KEY - around
    if not rest:
        return _ONLY_KEY - around
    if other and not Counter(other) - Counter(one):
        return 10 * min(len(other), 5)
    return 0


def has_run(words: Sequence[str], wanted: Sequence[str]) -> bool:
    return any(tuple(words[start : start + len(wanted)]) == tuple(wanted) for start in range(len(words)))


def same_words(one: Sequence[str], other: Sequence[str]) -> bool:
    return "".join(one) == "".join(other)


def key_words(key: InstanceKey) -> tuple[str, ...]:
    if isinstance(key, StringKey):
        return words_of(key.value)
    return (str(key.value),) if isinstance(key, IntKey) else ()


def families(sources: Sequence[MovingObject]) -> dict[object, int]:
    """Return the lowest number in the names of resources that differ only in it."""
    found: dict[object, int] = {}
    for source in sources:
        for family, number in _numbers(source.addr):
            found[family] = min(number, found.get(family, number))
    return found


def _numbers(address: AbsResourceInstance) -> Iterator[tuple[object, int]]:
    names = [name for name, _ in steps_of(address)]
    for index, name in enumerate(names):
        for number in re.findall(r"[0-9]{1,6}", name):
            rest = (*names[:index], re.sub(r"[0-9]+", "#", name), *names[index + 1 :])
            yield (address.resource.resource.type, rest), int(number)


def _is_counted(
    source: AbsResourceInstance, step: NamedStep | None, key: IntKey, counted: Mapping[object, int]
) -> bool:
    """Return whether a number in the name of a step is the index of a copy, where copies are counted from 0."""
    if step is None or step[1] is not NO_KEY:
        return step is not None and step[1] == key
    if str(key.value) not in re.findall(r"[0-9]{1,6}", step[0]):
        return False
    return any(number == key.value and counted.get(family) == 0 for family, number in _numbers(source))


def has_alias(bound: AbsProviderInstance, provider: AbsProviderInstance) -> bool:
    """Return whether the alias of the old provider configuration has the key of the new instance."""
    if bound == provider:
        return True
    words = key_words(provider.key) or words_of(provider.config.alias)
    has = Counter((*words_of(bound.config.alias), *key_words(bound.key)))
    return bool(words) and not Counter(words) - has


def says_nothing(words: set[str]) -> bool:
    return all(len(word) == 1 or word.isdigit() for word in words - _NEUTRAL)


def is_neutral(words: set[str]) -> bool:
    return words <= _NEUTRAL
