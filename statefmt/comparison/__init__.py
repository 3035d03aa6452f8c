"""What really changed between two snapshots: by address, by remote object, by value."""

from statefmt.comparison.apply import apply
from statefmt.comparison.compare import diff
from statefmt.comparison.kinds import Kind, kinds
from statefmt.comparison.model import (
    CheckResultsChange,
    EnvelopeChange,
    InstanceChange,
    MemberChange,
    Movable,
    Move,
    ObjectChange,
    OutputChange,
    ResourceChange,
    SnapshotDiff,
)
from statefmt.comparison.narrow import narrowed

__all__ = [
    "CheckResultsChange",
    "EnvelopeChange",
    "InstanceChange",
    "Kind",
    "MemberChange",
    "Movable",
    "Move",
    "ObjectChange",
    "OutputChange",
    "ResourceChange",
    "SnapshotDiff",
    "apply",
    "diff",
    "kinds",
    "narrowed",
]
