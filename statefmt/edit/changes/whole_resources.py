"""Refuses to change only some instances of a resource if all of them share a property."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from statefmt.edit.changes.only import only
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.errors import SurgeryError, Wording
from statefmt.model.snapshot import ResourceState

_MOST_NAMED: Final = 10
_WHOLE_RESOURCE: Final = Wording("--whole-resource", "whole_resource=True")


def refuse_parts(resources: Iterable[ResourceState], chosen: Collection[AbsResourceInstance], shared: str) -> None:
    """Raise SurgeryError, naming the others, if only some instances of a resource are chosen.

    `shared` is the property that all instances of a resource share, for the message.
    """
    wanted = frozenset(chosen)
    parts = {resource.addr: others for resource in resources if (others := _others(resource, wanted))}
    if parts:
        missing = [str(addr) for others in parts.values() for addr in others]
        raise SurgeryError(
            f"{', '.join(map(str, parts))}: all instances of a resource share {shared}, and these were not "
            f"selected:{named(missing)}\nSelect them as well, or use ",
            _WHOLE_RESOURCE,
            address=only(parts),
        )


def named(lines: Collection[str]) -> str:
    """Format lines as the indented end of a sentence, at most 10 and the number of the others."""
    more = len(lines) - _MOST_NAMED
    shown = list(lines)[:_MOST_NAMED] + ([f"… and {more} more"] if more > 0 else [])
    return "".join(f"\n  {line}" for line in shown)


def _others(resource: ResourceState, chosen: frozenset[AbsResourceInstance]) -> list[AbsResourceInstance]:
    addrs = dict.fromkeys(resource.addr.instance(obj.key) for obj in resource.objects)
    return [addr for addr in addrs if addr not in chosen]
