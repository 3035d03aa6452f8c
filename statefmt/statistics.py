"""The contents of a snapshot, in numbers and bytes.

>>> from statefmt import open, statistics
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> found = statistics.statistics(snapshot)
>>> found.total.instances == len(found.instances), found.types["aws_vpc"].instances
(True, 2)
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.statistics import (
        Counts as Counts,
        LargeInstance as LargeInstance,
        Statistics as Statistics,
        statistics as statistics,
    )
