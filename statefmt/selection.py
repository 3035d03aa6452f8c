"""Selects resource instances of a snapshot by addresses, patterns and filters.

    >>> from statefmt import open, selection, snapshots
    >>> snapshot = open("samples/v4-regions.tfstate").snapshot
    >>> chosen = selection.Criteria(selectors=("aws_vpc.*",), providers=('aws.by_region["eu-west-1"]',))
    >>> [str(instance.addr) for instance in selection.select(snapshots.instances(snapshot), chosen)]
    ['aws_vpc.main["eu-west-1"]']

For the state of a file, use `State.select()`.
"""

from __future__ import annotations

from statefmt._arguments import check_functions
from statefmt._lazy import lazy_names
from statefmt.analysis.selection import select
from statefmt.analysis.selection.criteria import Condition, Criteria, suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.analysis.selection.condition import parse_condition

__all__ = ["Condition", "Criteria", "parse_condition", "select", "suggestion"]

# Few selections have a condition, whose patterns and values take time to load.
__getattr__ = lazy_names(__name__, {"parse_condition": "statefmt.analysis.selection.condition"})

check_functions(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
