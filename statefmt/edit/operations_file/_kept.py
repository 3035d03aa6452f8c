"""Lists the dependencies that lead from one state to another once instances have moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from statefmt.model.addrs import AbsResourceInstance, ConfigResource
from statefmt.model.snapshot import Snapshot


class KeptDependency(NamedTuple):
    """A dependency that was kept: `dependant` is in `state`, and what it needs is in `other`.

    The consumer's configuration needs outputs of the other state for what it reads of the resource.
    """

    state: str
    dependant: AbsResourceInstance
    other: str
    needs: ConfigResource


def kept_dependencies(states: Mapping[str, Snapshot], went: Mapping[ConfigResource, str]) -> Iterator[KeptDependency]:
    """Yield the dependencies on resources of another state; `went` has where resources went, by their old addresses.

    A state that has any instance of a resource does not need another state for it.
    """
    here = {state: {one.addr.config() for one in found.resources if one.objects} for state, found in states.items()}
    homes = {**went, **{config: state for state, configs in reversed(here.items()) for config in configs}}
    for state, snapshot in states.items():
        for resource in snapshot.resources:
            found: dict[KeptDependency, None] = {}
            for obj in resource.objects:
                needed = (*obj.dependencies, *(one.config() for one in obj.depends_on))
                away = [one for one in needed if one not in here[state] and homes.get(one, state) != state]
                addr = resource.addr.instance(obj.key)
                found |= {KeptDependency(state, addr, homes[one], one): None for one in away}
            yield from found
