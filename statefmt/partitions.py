"""Partitions: ways to divide a state into several, without circles between the parts.

>>> from statefmt import open, partitions
>>> best, *_ = partitions.suggest_partitions(open("samples/v4-regions.tfstate").snapshot).partitions
>>> for part in best.parts:
...     print(part.name, part.instances, part.needs)
aws 2 ()
aws-by-region-eu-north-1 1 ()
aws-by-region-eu-west-1 3 ('aws',)
aws-by-region-us-west-2 3 ('aws',)
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.analysis.partition import (
        NeededResource,
        Partition,
        PartitionKind,
        PartitionPart,
        Suggestions,
        suggest_partitions,
    )

__all__ = ["NeededResource", "Partition", "PartitionKind", "PartitionPart", "Suggestions", "suggest_partitions"]

__getattr__ = lazy_names(
    __name__,
    {
        "NeededResource": "statefmt.analysis.partition",
        "PartitionPart": "statefmt.analysis.partition",
        "Partition": "statefmt.analysis.partition",
        "PartitionKind": "statefmt.analysis.partition",
        "Suggestions": "statefmt.analysis.partition",
        "suggest_partitions": "statefmt.analysis.partition",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
