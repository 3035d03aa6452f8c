"""Finds which elements of two sets correspond. Elements of sets have no key: any two may.

Source: OpenTofu `objchange.assertSetValuesCompatible`, which tries each planned element with each new one. Here, only
those are tried whose known parts are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from statefmt.lifecycle.objects._problems import Problems, problem
from statefmt.model.cty import CtyValue, ObjectType, Path
from statefmt.model.cty.comparable import comparable_key
from statefmt.model.cty.data import has_unknown
from statefmt.model.cty.types import DynamicType
from statefmt.model.cty.unify import has_dynamic

# The attributes that are equal in elements that correspond, or None: the elements are equal as a whole.
_Parts = tuple[str, ...] | None


class _Group:
    """The new elements that are equal in some parts, by index."""

    def __init__(self) -> None:
        self.open: list[int] = []
        self.matched: list[int] = []


def uncorrelated(
    planned: Sequence[CtyValue], actual: Sequence[CtyValue], found: tuple[list[bool], list[bool]], path: Path
) -> Problems:
    """Yield the elements without a counterpart: the planned ones, and only if there are none, the new ones."""
    missing = [element for element, matched in zip(planned, found[0], strict=True) if not matched]
    for element in missing:
        yield problem(path, "planned set element %#v does not correlate with any element in actual", element)
    if not missing:
        for element, matched in zip(actual, found[1], strict=True):
            if not matched:
                yield problem(path, "actual set element %#v does not correlate with any element in plan", element)


def correlate(
    planned: Sequence[CtyValue],
    actual: Sequence[CtyValue],
    names: Sequence[str] | None,
    match: Callable[[CtyValue, CtyValue], bool],
) -> tuple[list[bool], list[bool]]:
    """Return for each element of two sets whether `match(planned, actual)` holds with any of the other set.

    `match` must need equal values where a planned attribute of `names` is wholly known (None: any attribute, and
    other values as a whole). Linear time if most elements have known parts that tell them apart.
    """
    found = [False] * len(planned), [False] * len(actual)
    groups: dict[_Parts, dict[Hashable, _Group]] = {}
    for place, element in enumerate(planned):
        parts = _known_parts(element, names)
        by_key = groups.get(parts)
        if by_key is None:
            by_key = groups[parts] = _grouped(actual, parts)
        group = by_key.get(_key(element, parts))
        if group is not None:
            found[0][place] = _match_group(element, group, actual, found[1], match)
    return found


def _match_group(
    element: CtyValue,
    group: _Group,
    actual: Sequence[CtyValue],
    found: list[bool],
    match: Callable[[CtyValue, CtyValue], bool],
) -> bool:
    """Match an element with those of the group that are still without one, and with any other if none is among them."""
    still: list[int] = []
    any_found = False
    for place in group.open:
        if not found[place] and match(element, actual[place]):
            found[place] = any_found = True
        (group.matched if found[place] else still).append(place)
    group.open = still
    return any_found or any(match(element, actual[place]) for place in reversed(group.matched))


def _grouped(actual: Sequence[CtyValue], parts: _Parts) -> dict[Hashable, _Group]:
    by_key: dict[Hashable, _Group] = {}
    for place, element in enumerate(actual):
        by_key.setdefault(_key(element, parts), _Group()).open.append(place)
    return by_key


def _known_parts(element: CtyValue, names: Sequence[str] | None) -> _Parts:
    of, data = element.type, element.data
    if isinstance(of, DynamicType):
        return ()
    if data is None or (names is None and not has_unknown(data) and not has_dynamic(of)):
        return None
    if isinstance(of, ObjectType) and isinstance(data, dict):
        wanted = of.attributes if names is None else names
        return tuple(
            name
            for name in wanted
            if name in of.attributes and not has_unknown(data[name]) and not has_dynamic(of.attributes[name])
        )
    return ()


def _key(element: CtyValue, parts: _Parts) -> Hashable:
    of, data = element.type, element.data
    if parts is None:
        return comparable_key(data, of)
    if not parts:
        return ()
    if isinstance(of, ObjectType) and isinstance(data, dict) and all(name in data for name in parts):
        return tuple(comparable_key(data[name], of.attributes[name]) for name in parts)
    # Null and unknown elements correspond to none with known parts.
    return None
