"""Resources depend on each other in a cycle

## What it does
Reports each group of resources in which each depends on every other, directly or indirectly, and names a shortest
cycle among them. The rule looks at `dependencies`, which name whole resources.

## Why is this bad?
Dependencies determine the order in which OpenTofu destroys resources that have left the configuration. A cycle has
no order, so OpenTofu stops with an error. Only such a destroy is affected, and the state can be read, so this is
a warning.

## Example
```json
{"type": "aws_eip", "name": "a", "instances": [{"dependencies": ["aws_eip.b"]}]},
{"type": "aws_eip", "name": "b", "instances": [{"dependencies": ["aws_eip.a"]}]}
```

## What to do
Run `tofu apply`, which rewrites the dependencies of all resources in the configuration. If the resources have left
the configuration, remove one of the entries with `statetool edit`.
"""

from collections.abc import Iterable

from statefmt.analysis.cycles import cyclic_groups, short_cycles
from statefmt.lint.rule import Rule
from statefmt.lint.rules.dep import dependency_graph
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding

_SHOWN = 10


def _check(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    groups = cyclic_groups(graph.edges)
    for group, cycle in zip(groups, short_cycles(groups, graph.edges), strict=True):
        mention = next(graph.mentions(cycle[0], [cycle[1]]))
        more = len(group) - len(cycle)
        others = f" {more} more in cycles with these." if more else ""
        yield Code.DEPENDENCY_CYCLE.finding(
            "Dependency cycle",
            f"Resources depend on each other in a cycle: {_shown(cycle)}.{others}",
            mention.resource.address,
            mention.pointer,
            "Run `tofu apply` to rewrite the dependencies from the configuration, or remove one entry with edit.",
        )


def _shown(cycle: list[str]) -> str:
    left_out = len(cycle) - _SHOWN
    names = [*cycle[:_SHOWN], f"({left_out} more)"] if left_out > 0 else cycle
    return " -> ".join([*names, cycle[0]])


RULE = Rule(Code.DEPENDENCY_CYCLE, _check)
