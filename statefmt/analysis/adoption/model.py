"""Models which objects of a state belong to which instances of a new configuration, and the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance
from statefmt.model.snapshot import InstanceState


class EvidenceKind(StrEnum):
    """Why an object belongs to an instance, strongest first.

    `GIVEN`: the user says so. `ARGUMENTS`: the old provider block and the new instance have equal arguments.
    `ATTRIBUTES`: attributes of the object agree with the new provider instance or with the arguments of the resource.
    `MODULE`: other objects show that the module moved. `MOVED`: a `moved` block says so. `ADDRESS`: the address stays.
    `NAMES`: names and keys are alike.
    """

    GIVEN = "given"
    ARGUMENTS = "arguments"
    ATTRIBUTES = "attributes"
    MODULE = "module"
    MOVED = "moved"
    ADDRESS = "address"
    NAMES = "names"


class PairEvidence(Struct, frozen=True):
    """A reason for or against a pair, such as the arguments that are equal."""

    kind: EvidenceKind
    text: str


class MovingObject(Struct, frozen=True):
    """An instance in a state that the new configuration does not have as it is.

    `bound` is its provider instance, with OpenTofu's registry in place of Terraform's. `address` is where `moved`
    blocks take it; `is_moved` if they do. `is_declared` if the new configuration has that address.
    """

    instance: InstanceState
    bound: AbsProviderInstance
    address: AbsResourceInstance
    is_moved: bool
    is_declared: bool

    @property
    def is_split(self) -> bool:
        """Whether its objects, current and deposed, are bound to several provider instances."""
        return len({obj.provider_key for obj in self.instance.objects}) > 1

    @property
    def addr(self) -> AbsResourceInstance:
        """The address in the state."""
        return self.instance.addr


class NewInstance(Struct, frozen=True):
    """An instance of the new configuration that has no object of its own yet, and its provider instance."""

    address: AbsResourceInstance
    provider: AbsProviderInstance


class AdoptedPair(Struct, frozen=True):
    """An object and the instance it belongs to, or may belong to."""

    source: MovingObject
    target: NewInstance
    evidence: tuple[PairEvidence, ...] = ()


class OpenChoice(Struct, frozen=True):
    """An object that may belong to any of several instances, or to none; `reason` says why none is certain."""

    source: MovingObject
    candidates: tuple[AdoptedPair, ...]
    reason: str


class RefusedPair(Struct, frozen=True):
    """A pair that looks right, and that facts contradict."""

    source: MovingObject
    target: NewInstance
    reason: str


class Adoption(Struct, frozen=True):
    """The result of comparing a state with a new configuration.

    `pairs` are certain. `left` are objects for which the new configuration has no instance. `dropped` are data
    resources that it does not have; they are only read again. `new` are instances that no object may belong to.
    `unknown` has the reason for each part of the configuration that is not known, by its name. `settled` counts the
    instances that stay as they are. `is_compared` if an old configuration counts, which may have some of the objects.
    """

    pairs: tuple[AdoptedPair, ...] = ()
    choices: tuple[OpenChoice, ...] = ()
    refused: tuple[RefusedPair, ...] = ()
    left: tuple[MovingObject, ...] = ()
    dropped: tuple[AbsResourceInstance, ...] = ()
    new: tuple[NewInstance, ...] = ()
    unknown: Mapping[str, str] = {}
    settled: int = 0
    is_compared: bool = False

    @property
    def is_decided(self) -> bool:
        """Whether nothing is left to be chosen."""
        return not self.choices and not self.refused
