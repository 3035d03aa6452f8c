"""The dependencies between the resources of a snapshot.

>>> from statefmt import graph, open
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> whole = graph.dependency_graph(snapshot)
>>> sorted(graph.reaching(whole, ["aws_vpc.main"], depth=None))
['aws_instance.web', 'aws_vpc.main', 'module.database.aws_db_instance.this']
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.dependencies import (
        DependencyGraph as DependencyGraph,
        Node as Node,
        dependency_graph as dependency_graph,
        edges_down as edges_down,
        edges_up as edges_up,
        part_of as part_of,
        reachable as reachable,
        reaching as reaching,
    )
