"""Resources that can only be changed as a whole, since all their instances share something."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.errors import SurgeryError
from statefmt.model.resources import ResourceState

_MOST_NAMED: Final = 10


def refuse_parts(resources: Iterable[ResourceState], chosen: Collection[AbsResourceInstance], shared: str) -> None:
    """Raises SurgeryError where only some instances of a resource are chosen, and names the others.

    `shared` is what all instances of a resource have in common.
    """
    wanted = frozenset(chosen)
    parts = {resource.addr: others for resource in resources if (others := _others(resource, wanted))}
    if parts:
        missing = [str(addr) for others in parts.values() for addr in others]
        raise SurgeryError(
            f"{', '.join(map(str, parts))}: a resource has {shared} for all its instances, and these were not "
            f"chosen:{named(missing)}\nChoose them as well, or give --whole-resource"
        )


def named(lines: Collection[str]) -> str:
    """Some lines to end a sentence with, and how many more there are."""
    more = len(lines) - _MOST_NAMED
    shown = list(lines)[:_MOST_NAMED] + ([f"… and {more} more"] if more > 0 else [])
    return "".join(f"\n  {line}" for line in shown)


def _others(resource: ResourceState, chosen: frozenset[AbsResourceInstance]) -> list[AbsResourceInstance]:
    addrs = dict.fromkeys(resource.addr.instance(obj.key) for obj in resource.objects)
    return [addr for addr in addrs if addr not in chosen]
