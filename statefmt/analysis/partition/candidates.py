"""Models partitions of a state into several: their parts, and what one part needs of another."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from typing import Final

from msgspec import Struct

from statefmt.model.addrs import ModuleInstance

# What counts in the score: each percent of the instances that is in the largest part,
_LARGEST: Final = 1.0
# each percent of the resources that other parts need,
_OUTPUTS: Final = 2.0
# each of these that has secrets,
_SECRET: Final = 3.0
# each apply after the first, and each module that is divided.
_APPLY: Final = 2.0
_DIVIDED: Final = 2.0


class PartitionKind(Enum):
    """What a partition goes by."""

    MODULE = "module"
    PROVIDER = "provider"
    REGION = "region"
    COMMUNITY = "community"


class NeededResource(Struct, frozen=True):
    """A resource, as in the configuration, that other parts need: the part that has it needs an output for it.

    `is_secret` if it has sensitive attributes, which may cross with the output.
    """

    resource: str
    part: str
    needed_by: tuple[str, ...]
    is_secret: bool


class PartitionPart(Struct, frozen=True):
    """A part of a state, and the selectors of what is in it: modules and resources that are whole in it, or instances.

    `stays` if it is the one to leave in the state. `level` is 0 if it needs no other part, and else one more than the
    highest part it needs: parts of one level can be applied at the same time.
    """

    name: str
    contents: tuple[str, ...]
    instances: int
    needs: tuple[str, ...]
    level: int
    stays: bool


class Partition(Struct, frozen=True, dict=True):
    """A way to divide a state: the parts, lowest first, so that each needs only parts before it.

    `resources` is the number of resources as in the configuration, and `divided` are the module instances with
    resources in several parts.
    """

    kind: PartitionKind
    parts: tuple[PartitionPart, ...]
    needed: tuple[NeededResource, ...]
    divided: tuple[ModuleInstance, ...]
    resources: int

    @property
    def contents(self) -> frozenset[frozenset[str]]:
        """What is in the parts, whatever their names."""
        return frozenset(frozenset(part.contents) for part in self.parts)

    @property
    def new_states(self) -> dict[str, tuple[str, ...]]:
        """The selectors of the parts that do not stay in the state, by their names."""
        return {part.name: part.contents for part in self.parts if not part.stays}

    @property
    def outputs(self) -> int:
        """The number of resources that need an output for other parts."""
        return len(self.needed)

    @property
    def secrets(self) -> int:
        """The number of these with sensitive attributes."""
        return sum(one.is_secret for one in self.needed)

    @property
    def largest(self) -> float:
        """The share of the instances that the largest part has, from 0 to 1."""
        counts = [part.instances for part in self.parts]
        return max(counts) / sum(counts)

    @property
    def applies(self) -> int:
        """How many applies must run one after the other, if parts that need each other do."""
        return max(part.level for part in self.parts) + 1

    @cached_property
    def score(self) -> float:
        """What the partition costs; less is better."""
        return (
            100 * _LARGEST * self.largest
            + 100 * _OUTPUTS * self.outputs / self.resources
            + _SECRET * self.secrets
            + _APPLY * (self.applies - 1)
            + _DIVIDED * len(self.divided)
        )


class Suggestions(Struct, frozen=True):
    """Partitions, best first, and why others are not among them."""

    partitions: tuple[Partition, ...]
    without: Mapping[PartitionKind, str]
