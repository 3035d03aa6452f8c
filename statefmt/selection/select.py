"""Choosing resource instances."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.addrs import AbsResourceInstance
from statefmt.selection.address import fitting
from statefmt.selection.criteria import Criteria
from statefmt.states import ResourceInstance


def select(found: Sequence[ResourceInstance], criteria: Criteria) -> list[ResourceInstance]:
    """The instances that meet the criteria, in their order.

    Raises SelectionError for a selector that is no address or fits nothing, with the nearest addresses.
    """
    if not criteria.selectors:
        return list(found)
    addrs = [instance.addr for instance in found]
    chosen: set[AbsResourceInstance] = set()
    for selector in criteria.selectors:
        chosen.update(fitting(addrs, selector))
    return [instance for instance in found if instance.addr in chosen]
