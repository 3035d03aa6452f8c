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

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.partition import (
        NeededResource as NeededResource,
        Partition as Partition,
        PartitionKind as PartitionKind,
        PartitionPart as PartitionPart,
        Suggestions as Suggestions,
        suggest_partitions as suggest_partitions,
    )
