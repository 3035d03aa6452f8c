"""Models the result of comparing plans: moves, ambiguous groups, objects left over, and ignored attributes."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct

from statefmt.analysis.diff.model import Movable
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.errors import SelectionError


class MoveEvidence(StrEnum):
    """Why two objects are the same one.

    `ATTRIBUTES`: no other object has equal attributes. `KEYS`: several objects have, but all are instances of one
    resource, which were all destroyed and created with the same keys. `MODULE`: other objects show that the module of
    the object moved, and the new module has one with equal attributes at the same place.
    """

    ATTRIBUTES = "attributes"
    KEYS = "keys"
    MODULE = "module"


class PlannedPlace(Struct, frozen=True):
    """The address of an object in a plan, and the name of the plan."""

    plan: str
    address: AbsResourceInstance


class MovedInstance(Struct, frozen=True):
    """An object that would be destroyed at `source` and created again at `target`.

    `attributes` are the names of the attributes that are known, not empty, and equal.
    """

    source: PlannedPlace
    target: PlannedPlace
    evidence: MoveEvidence
    attributes: tuple[str, ...]


class ProposedMove(Struct, frozen=True):
    """A module, a resource or an instance that moves as a whole, and its instances.

    `target_plan` differs from `source_plan` if the objects move to another state. `obstacle` says why no `moved` block
    or no operation can express the move; "" if one can.
    """

    source_plan: str
    source: Movable
    target_plan: str
    target: Movable
    instances: tuple[MovedInstance, ...]
    obstacle: str = ""


class AmbiguousGroup(Struct, frozen=True):
    """Objects of one type with equal attributes: each destroyed one may be any of the created ones."""

    type: str
    provider: str
    destroyed: tuple[PlannedPlace, ...]
    created: tuple[PlannedPlace, ...]


class NearlyEqual(Struct, frozen=True):
    """Two objects that are no pair only because of these attributes, by their names."""

    destroyed: PlannedPlace
    created: PlannedPlace
    attributes: tuple[str, ...]


class Proposals(Struct, frozen=True):
    """The result of propose_moves(). Moves are in the order of their plans and addresses.

    `destroyed` and `created` are the objects without a counterpart; `not_compared` are those of `created` that would
    take too many comparisons, as only a plan that is made for that does. `nearly_equal` are some of both that differ
    in few attributes. `unused` are the ignored attributes that no destroyed or created object has.
    """

    moves: tuple[ProposedMove, ...]
    ambiguous: tuple[AmbiguousGroup, ...]
    destroyed: tuple[PlannedPlace, ...]
    created: tuple[PlannedPlace, ...]
    not_compared: tuple[PlannedPlace, ...] = ()
    nearly_equal: tuple[NearlyEqual, ...] = ()
    unused: tuple[IgnoredAttribute, ...] = ()

    @property
    def instances(self) -> tuple[MovedInstance, ...]:
        """The instances of all moves."""
        return tuple(instance for move in self.moves for instance in move.instances)

    @property
    def is_crossing(self) -> bool:
        """Whether an object moves to another state."""
        return any(move.source_plan != move.target_plan for move in self.moves)


_EVERY: Final = "*"


class IgnoredAttribute(Struct, frozen=True):
    """An attribute of a resource type that is not compared; `*` as the type is every type."""

    type: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.type}.{self.attribute}"

    def applies_to(self, type_: str) -> bool:
        """Return whether objects of a type may have the attribute."""
        return self.type in (_EVERY, type_)


def parse_ignored_attribute(text: str) -> IgnoredAttribute:
    """Parse `TYPE.ATTRIBUTE`, such as `aws_instance.user_data` or `*.tags_all`. Raises SelectionError."""
    type_, dot, attribute = text.partition(".")
    if not dot or not is_identifier(attribute) or not (type_ == _EVERY or is_identifier(type_)):
        raise SelectionError(
            f"invalid attribute {text!r}: write TYPE.ATTRIBUTE, such as aws_instance.user_data, or *.ATTRIBUTE for "
            "every type; parts of an attribute cannot be ignored"
        )
    return IgnoredAttribute(type_, attribute)
