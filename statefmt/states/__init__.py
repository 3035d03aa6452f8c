"""The state model: what one snapshot says, as immutable values."""

from statefmt.states.check_results import CheckObject, CheckResult
from statefmt.states.instances import ResourceInstance, instances
from statefmt.states.output import OutputValue
from statefmt.states.resource import ObjectStatus, ResourceInstanceObject, ResourceState, UnknownMember
from statefmt.states.snapshot import HIGHEST_SERIAL, Snapshot, Source

__all__ = [
    "HIGHEST_SERIAL",
    "CheckObject",
    "CheckResult",
    "ObjectStatus",
    "OutputValue",
    "ResourceInstance",
    "ResourceInstanceObject",
    "ResourceState",
    "Snapshot",
    "Source",
    "UnknownMember",
    "instances",
]
