"""What really changed between two snapshots: by address, by remote object, by value."""

from statefmt.analysis.diff._apply import apply
from statefmt.analysis.diff._compare import diff
from statefmt.analysis.diff._model import (
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
from statefmt.analysis.diff.kinds import Kind, kinds
from statefmt.analysis.diff.narrow import narrowed

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
