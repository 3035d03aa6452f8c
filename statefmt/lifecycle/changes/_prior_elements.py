"""Finds which element of a prior set an element of the configuration was.

Sets have no keys: an element belongs to the first that could have come from its configuration, with only computed
attributes added. Source: OpenTofu `objchange.proposedNewNestingSet`, `validPriorFromConfig`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence

from statefmt.lifecycle.schemas.block import NestedAttributes, SchemaAttribute, SchemaBlock
from statefmt.lifecycle.schemas.step import SchemaPlace, schema_below
from statefmt.model.cty import CtyValue, GetAttr
from statefmt.model.cty.comparable import comparable_key
from statefmt.model.cty.data import has_unknown
from statefmt.model.cty.parts import attribute, is_null, unknown
from statefmt.model.cty.path_marks import steps
from statefmt.model.cty.steps import PathStep
from statefmt.model.cty.types import ListType, MapType, ObjectType, SetType, TupleType
from statefmt.model.cty.unrefined import same_unrefined

_Names = tuple[str, ...]


class PriorElements:
    """The elements of a prior set, each of which belongs to one element of the configuration at most.

    Elements are looked up by the attributes that must be equal, so that usually few have to be compared.
    """

    def __init__(self, schema: SchemaBlock | NestedAttributes, elements: Sequence[CtyValue]) -> None:
        self._schema = schema
        self._elements = elements
        self._used = [False] * len(elements)
        self._leaves = [(name, each) for name, each in schema.attributes.items() if each.nested is None]
        # Of null and unknown elements nothing can be looked up.
        self._plain = all(isinstance(each.data, dict) and isinstance(each.type, ObjectType) for each in elements)
        self._places: dict[_Names, dict[Hashable, deque[int]]] = {}

    def take(self, config: CtyValue) -> CtyValue | None:
        """Return the element that `config` was, and use it up; None if there is none."""
        for place in self._candidates(config):
            if not self._used[place] and _could_come_from(self._schema, self._elements[place], config):
                self._used[place] = True
                return self._elements[place]
        return None

    def _candidates(self, config: CtyValue) -> Iterable[int]:
        if not self._plain or not isinstance(config.data, dict) or not isinstance(config.type, ObjectType):
            return range(len(self._elements))
        names = tuple(name for name, each in self._leaves if _must_be_equal(config, name, each))
        index = self._places.get(names)
        if index is None:
            index = self._places[names] = defaultdict(deque)
            for place, element in enumerate(self._elements):
                index[_key(element, names)].append(place)
        found = index.get(_key(config, names), deque())
        while found and self._used[found[0]]:
            found.popleft()
        return found


def _must_be_equal(config: CtyValue, name: str, schema: SchemaAttribute) -> bool:
    """Return whether an attribute that is no object of its own must be equal: it is not left to the provider.

    OpenTofu compares sets as a whole, even if they are computed.
    """
    assert isinstance(config.type, ObjectType)
    of = config.type.attributes.get(name)
    return of is not None and (not schema.computed or isinstance(of, SetType) or not is_null(attribute(config, name)))


def _key(element: CtyValue, names: _Names) -> Hashable:
    assert isinstance(element.type, ObjectType)
    found: list[Hashable] = []
    for name in names:
        of = element.type.attributes.get(name)
        part = None if of is None else attribute(element, name).data
        # Values with unknown parts are compared later, without what is known of these.
        found.append("unknown" if of is None or has_unknown(part) else (comparable_key(part, of),))
    return tuple(found)


def _could_come_from(place: SchemaPlace, prior: CtyValue, config: CtyValue | None) -> bool:
    if config is None:
        return False
    if same_unrefined(config, prior):
        return True
    if isinstance(config.type, SetType):
        return False
    if isinstance(place, SchemaAttribute) and place.nested is None:
        return place.computed and is_null(config)
    return all(_could_come_from(schema_below(place, step), part, _at(config, step)) for step, part in steps(prior))


def _at(value: CtyValue, step: PathStep) -> CtyValue | None:
    """Return the part of a value that is no set; None if it has none there."""
    if is_null(value):
        return None
    of = value.type
    if isinstance(step, GetAttr):
        return attribute(value, step.name) if isinstance(of, ObjectType) and step.name in of.attributes else None
    key, inner = step.key, None
    if isinstance(key, int) and isinstance(of, (ListType, TupleType)):
        inner = of.element if isinstance(of, ListType) else of.elements[key] if key < len(of.elements) else None
    elif isinstance(key, str) and isinstance(of, MapType):
        inner = of.element
    if inner is None:
        return None
    data = value.data
    if isinstance(data, tuple) and isinstance(key, int):
        return CtyValue(inner, data[key]) if key < len(data) else None
    if isinstance(data, dict) and isinstance(key, str):
        return CtyValue(inner, data[key]) if key in data else None
    return unknown(inner)
