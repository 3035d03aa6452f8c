"""Compares two snapshots by address, by remote object and by value."""

from statefmt.analysis.diff._apply import apply as apply
from statefmt.analysis.diff._compare import diff as diff, envelope_changes as envelope_changes
from statefmt.analysis.diff._matching import may_be_replaced as may_be_replaced
from statefmt.analysis.diff._model import (
    CheckResultsChange as CheckResultsChange,
    EnvelopeChange as EnvelopeChange,
    InstanceChange as InstanceChange,
    MemberChange as MemberChange,
    Movable as Movable,
    Move as Move,
    ObjectChange as ObjectChange,
    OutputChange as OutputChange,
    ResourceChange as ResourceChange,
    SnapshotDiff as SnapshotDiff,
)
from statefmt.analysis.diff.kinds import Kind as Kind, kinds as kinds
from statefmt.analysis.diff.narrow import narrowed as narrowed
