"""What a snapshot contains, in numbers and bytes.

>>> from statefmt import open, statistics
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> found = statistics.statistics(snapshot)
>>> found.total.instances == len(found.instances), found.types["aws_vpc"].instances
(True, 2)
"""

from statefmt._arguments import check_functions
from statefmt.analysis.statistics import Counts, LargeInstance, Statistics, statistics

__all__ = ["Counts", "LargeInstance", "Statistics", "statistics"]

check_functions(globals())
