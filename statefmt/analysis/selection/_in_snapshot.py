"""Selects resource instances of a snapshot. A single address is found without listing all instances."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from statefmt.analysis.selection._criteria import Criteria
from statefmt.analysis.selection.select import select
from statefmt.model.addrs import NO_KEY, parse_abs_resource_instance
from statefmt.model.errors import AddressError
from statefmt.model.instances import InstanceState, instances
from statefmt.model.resources import ResourceState
from statefmt.model.snapshot import Snapshot


def select_in(
    snapshot: Snapshot, criteria: Criteria, note: Callable[[str], None] = lambda _: None
) -> list[InstanceState]:
    """Return the instances of a snapshot that meet the criteria, as `select` does, and raise what it raises."""
    named = _named(snapshot, criteria.selectors[0]) if len(criteria.selectors) == 1 else None
    if named is None or criteria != Criteria(selectors=criteria.selectors):
        return select(instances(snapshot), criteria, note)
    return select(instances(replace(snapshot, resources=(named,))), criteria, note)


def _named(snapshot: Snapshot, selector: str) -> ResourceState | None:
    """Return the resource whose instances an address selects; None if the address needs a closer look."""
    try:
        addr = parse_abs_resource_instance(selector)
    except AddressError:
        return None
    wanted, found = addr.containing_resource(), None
    for resource in snapshot.resources:
        declared = resource.addr.resource
        if declared.name == wanted.resource.name and resource.addr == wanted:
            if found is not None:
                return None
            found = resource
        elif "." in declared.name or "[" in declared.name or "." in declared.type:
            # Its address may look like another one.
            return None
    is_there = found is not None and any(addr.key in (NO_KEY, obj.key) for obj in found.objects)
    return found if is_there and str(addr) == selector else None
