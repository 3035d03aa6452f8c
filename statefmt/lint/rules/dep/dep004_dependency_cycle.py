"""Resources depend on each other in a circle

## What it does
Reports each group of resources of which every one depends on every other, directly or through others, and names a
shortest circle among them. It looks at `dependencies`, which name whole resources.

## Why is this bad?
Dependencies give the order of destruction for what has left the configuration, and in a circle there is none:
OpenTofu stops with an error. That happens only then, and the state can be read: a warning.

## Example
```json
{"type": "aws_eip", "name": "a", "instances": [{"dependencies": ["aws_eip.b"]}]},
{"type": "aws_eip", "name": "b", "instances": [{"dependencies": ["aws_eip.a"]}]}
```

## What to do
`tofu apply` writes the dependencies of all that it finds in the configuration anew. If the resources have left it,
remove one of the entries by hand.
"""

from collections.abc import Iterable

from statefmt.analysis.graph.cycles import cyclic_groups, short_cycle
from statefmt.lint.rule import Rule
from statefmt.lint.states.dependency_graph import dependency_graph
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding

_SHOWN = 10


def _check(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    for group in cyclic_groups(graph.edges):
        cycle = short_cycle(group, graph.edges)
        mention = next(graph.mentions(cycle[0], [cycle[1]]))
        more = len(group) - len(cycle)
        others = f" {more} more resources are caught up in circles with these." if more else ""
        yield Code.DEPENDENCY_CYCLE.finding(
            "Cycle of dependencies",
            f"Resources depend on each other in a circle: {_shown(cycle)}.{others}",
            mention.resource.address,
            mention.pointer,
            "`tofu apply` writes dependencies anew from the configuration; else remove one of the entries by hand.",
        )


def _shown(cycle: list[str]) -> str:
    left_out = len(cycle) - _SHOWN
    names = [*cycle[:_SHOWN], f"({left_out} more)"] if left_out > 0 else cycle
    return " -> ".join([*names, cycle[0]])


RULE = Rule(Code.DEPENDENCY_CYCLE, _check)
