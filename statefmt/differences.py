"""Compares two snapshots, and says what a difference consists of.

>>> from statefmt import differences, open, operations
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> later = operations.move(snapshot, "aws_vpc.main", "module.network.aws_vpc.main").snapshot
>>> changes = differences.diff(snapshot, later)
>>> [f"{move.old} -> {move.new}" for move in changes.moves]
['aws_vpc.main -> module.network.aws_vpc.main']
>>> bool(differences.narrowed(changes, differences.kinds(only=[differences.Kind.REBOUND])))
False

`reconcile` compares what an apply could not save with what is stored:

>>> differences.reconcile(snapshot, None).case
<RecoveryCase.PUSH: 'push'>
>>> differences.reconcile(later, snapshot).case
<RecoveryCase.STORED: 'already_stored'>
"""

from statefmt._arguments import check_functions
from statefmt.analysis.diff import apply, diff
from statefmt.analysis.diff.model import (
    AddressTest,
    CheckResultsChange,
    EnvelopeChange,
    InstanceChange,
    Kind,
    MemberChange,
    Movable,
    Move,
    ObjectChange,
    OutputChange,
    ResourceChange,
    SnapshotDiff,
    kinds,
    narrowed,
    typed_changes,
)
from statefmt.analysis.reconciliation import LoneObject, PushAnswer, Reconciliation, RecoveryCase, reconcile

__all__ = [
    "AddressTest",
    "CheckResultsChange",
    "EnvelopeChange",
    "InstanceChange",
    "Kind",
    "LoneObject",
    "MemberChange",
    "Movable",
    "Move",
    "ObjectChange",
    "OutputChange",
    "PushAnswer",
    "Reconciliation",
    "RecoveryCase",
    "ResourceChange",
    "SnapshotDiff",
    "apply",
    "diff",
    "kinds",
    "narrowed",
    "reconcile",
    "typed_changes",
]

check_functions(globals())
