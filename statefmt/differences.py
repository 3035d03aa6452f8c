"""Compares two snapshots, or all versions of a state, and filters the differences by kind.

>>> from statefmt import differences, open, operations
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> later = operations.move(snapshot, "aws_vpc.main", "module.network.aws_vpc.main").snapshot
>>> changes = differences.diff(snapshot, later)
>>> [f"{move.old} -> {move.new}" for move in changes.moves]
['aws_vpc.main -> module.network.aws_vpc.main']
>>> bool(differences.narrowed(changes, differences.kinds(only=[differences.Kind.REBOUND])))
False

`reconcile` compares the unsaved state of an apply with the stored state:

>>> differences.reconcile(snapshot, None).case
<RecoveryCase.PUSH: 'push'>
>>> differences.reconcile(later, snapshot).case
<RecoveryCase.STORED: 'already_stored'>

The changes of all available versions of a state, in git, backups, the history and its service:

>>> from statefmt import run_context, selection
>>> with differences.state_versions(run_context(), "samples/v4-regions.tfstate") as versions:
...     log = differences.state_log(run_context(), "samples/v4-regions.tfstate", versions, selection.Criteria())
>>> log.changes[-1].version.is_current
True
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.diff import apply as apply, diff as diff
    from statefmt.analysis.diff.model import (
        AddressTest as AddressTest,
        CheckResultsChange as CheckResultsChange,
        EnvelopeChange as EnvelopeChange,
        InstanceChange as InstanceChange,
        Kind as Kind,
        MemberChange as MemberChange,
        Movable as Movable,
        Move as Move,
        ObjectChange as ObjectChange,
        OutputChange as OutputChange,
        ResourceChange as ResourceChange,
        SnapshotDiff as SnapshotDiff,
        kinds as kinds,
        narrowed as narrowed,
        typed_changes as typed_changes,
    )
    from statefmt.analysis.life import (
        BlamedPath as BlamedPath,
        Event as Event,
        EventKind as EventKind,
        attribute_paths as attribute_paths,
        blamed as blamed,
    )
    from statefmt.analysis.reconciliation import (
        LoneObject as LoneObject,
        PushAnswer as PushAnswer,
        Reconciliation as Reconciliation,
        RecoveryCase as RecoveryCase,
        reconcile as reconcile,
    )
    from statefmt.edit.versions import (
        StateLog as StateLog,
        StateVersion as StateVersion,
        VersionChanges as VersionChanges,
        VersionOrigin as VersionOrigin,
        VersionSource as VersionSource,
        newest_backup as newest_backup,
        read_version as read_version,
        state_log as state_log,
        state_versions as state_versions,
        version_in_head as version_in_head,
    )
