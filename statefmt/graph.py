"""The dependencies between the resources of a snapshot.

>>> from statefmt import graph, open
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> whole = graph.dependency_graph(snapshot)
>>> sorted(graph.reaching(whole, ["aws_vpc.main"], depth=None))
['aws_instance.web', 'aws_vpc.main', 'module.database.aws_db_instance.this']
"""

from statefmt._arguments import check_functions
from statefmt.analysis.dependencies import (
    DependencyGraph,
    Node,
    dependency_graph,
    edges_down,
    edges_up,
    part_of,
    reachable,
    reaching,
)

__all__ = ["DependencyGraph", "Node", "dependency_graph", "edges_down", "edges_up", "part_of", "reachable", "reaching"]

check_functions(globals())
