"""Suggests how to divide a state into several.

    found = suggest_partitions(snapshot)     # partitions by modules, providers, regions and communities, best first

The parts of a partition have an order in which each needs only parts before it: there are no circles.
"""

from statefmt.analysis.partition.candidates import (
    NeededResource as NeededResource,
    Partition as Partition,
    PartitionKind as PartitionKind,
    PartitionPart as PartitionPart,
    Suggestions as Suggestions,
)
from statefmt.analysis.partition.suggest import suggest_partitions as suggest_partitions
