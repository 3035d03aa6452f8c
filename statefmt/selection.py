"""Selects resource instances of a snapshot by addresses, patterns and filters.

    >>> from statefmt import open, selection, snapshots
    >>> snapshot = open("samples/v4-regions.tfstate").snapshot
    >>> chosen = selection.Criteria(selectors=("aws_vpc.*",), providers=('aws.by_region["eu-west-1"]',))
    >>> [str(instance.addr) for instance in selection.select(snapshots.instances(snapshot), chosen)]
    ['aws_vpc.main["eu-west-1"]']

For the state of a file, use `State.select()`.
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.selection import (
        Condition as Condition,
        Criteria as Criteria,
        select as select,
        suggestion as suggestion,
    )
    from statefmt.analysis.selection.filters import parse_condition as parse_condition
