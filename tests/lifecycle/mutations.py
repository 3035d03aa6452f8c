"""Mutates values within their types: parts become null, unknown or marked, and elements are lost or repeated."""

from __future__ import annotations

from random import Random

from statefmt.model.cty import SetType, Type
from statefmt.model.cty.data import CtyValue, Data, MarkedData, Refinements, UnknownData, make_set
from statefmt.model.cty.parts import elements, is_null


def mutated(value: CtyValue, random: Random, marks: bool = True) -> CtyValue:
    """Return the value with about two parts changed; a set has no marks within it."""
    return CtyValue(value.type, _mutated(value, random, marks, 2 / (1 + _size(value.data))))


def _mutated(value: CtyValue, random: Random, marks: bool, chance: float) -> Data:
    data = value.data
    if random.random() < chance:
        changed = _changed(data, random, marks)
        if changed is not data:
            return changed
    if isinstance(data, MarkedData):
        return MarkedData(data.marks, _mutated(CtyValue(value.type, data.data), random, False, chance))
    if is_null(value) or not isinstance(data, (tuple, dict)):
        return data
    inside = marks and not isinstance(value.type, SetType)
    parts = [(key, _mutated(part, random, inside, chance)) for key, part in elements(value)]
    if isinstance(data, dict):
        return {str(key): part for key, part in parts}
    return _sequence([part for _, part in parts], value.type, random, chance)


def _sequence(parts: list[Data], of: Type, random: Random, chance: float) -> Data:
    if hasattr(of, "element") and parts and random.random() < chance:
        parts = parts[1:] if random.random() < 0.5 else [*parts, parts[0]]
    return make_set(of.element, parts) if isinstance(of, SetType) else tuple(parts)


def _changed(data: Data, random: Random, marks: bool) -> Data:
    kind = random.randrange(5)
    if kind == 0:
        return None
    if kind == 1:
        return UnknownData()
    if kind == 2:
        return UnknownData(Refinements(not_null=True))
    if kind == 3 and marks and not isinstance(data, MarkedData):
        return MarkedData(frozenset({"sensitive"}), data)
    if isinstance(data, str):
        return data + "x"
    return not data if isinstance(data, bool) else data


def _size(data: Data) -> int:
    if isinstance(data, MarkedData):
        return _size(data.data)
    if isinstance(data, tuple):
        return 1 + sum(map(_size, data))
    return 1 + sum(map(_size, data.values())) if isinstance(data, dict) else 1
