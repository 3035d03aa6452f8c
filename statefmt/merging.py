"""Merges two states that changed independently, with the state that both started from.

    >>> import statefmt
    >>> from statefmt import merging, operations
    >>> base = statefmt.open("samples/v4-regions.tfstate").snapshot
    >>> ours = operations.move(base, "aws_vpc.main", "module.network.aws_vpc.main").snapshot
    >>> theirs = operations.taint(base, "aws_vpc.main").snapshot
    >>> found = merging.merge(base, ours, theirs)
    >>> found.conflicts, found.snapshot.serial - base.serial
    ((), 1)

`Transaction.apply()` takes `merged`, which makes the state of the transaction the merge:

    edit.apply(lambda ours: merging.merged(ours, base, theirs))

Conflicts are decided by a function, or by a Decisions value: `merging.merge(base, ours, theirs, decisions.side)`.
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.edit.merging import merge as merge, merged as merged
    from statefmt.edit.merging.decisions import Decisions as Decisions, parse_decisions as parse_decisions
    from statefmt.edit.merging.model import (
        Conflict as Conflict,
        ConflictKind as ConflictKind,
        DecideConflict as DecideConflict,
        Merge as Merge,
        MergeConflictError as MergeConflictError,
        MergeSide as MergeSide,
    )

__all__ = [
    "Conflict", "ConflictKind", "DecideConflict", "Decisions", "Merge", "MergeConflictError", "MergeSide", "merge",
    "merged", "parse_decisions",
]  # fmt: skip
