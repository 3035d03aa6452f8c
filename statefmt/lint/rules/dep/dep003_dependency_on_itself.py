"""A resource depends on itself

## What it does
Reports a resource that is named in the `dependencies` of its own objects, in whichever instance of its module. It is
said once for each resource.

## Why is this bad?
No program writes that. Nothing can come before itself, so what plans from the dependencies finds a cycle when the
resource has left the configuration. The state can be read: a warning.

## Example
```json
{"type": "aws_eip", "name": "nat", "instances": [{"dependencies": ["aws_eip.nat"]}]}
```

## What to do
Remove the entry by hand, or run `tofu apply`, which writes dependencies anew from the configuration.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.states.dependency_graph import dependency_graph
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    for static, targets in graph.edges.items():
        told = set()
        for mention in graph.mentions(static, [static]) if static in targets else ():
            address = mention.resource.address
            if address not in told:
                told.add(address)
                yield Code.DEPENDENCY_ON_ITSELF.finding(
                    "Dependency on itself",
                    f"Resource {address} names itself ({static}) among its dependencies.",
                    address,
                    mention.pointer,
                    "Remove the entry by hand, or run `tofu apply`, which writes dependencies anew.",
                )


RULE = Rule(Code.DEPENDENCY_ON_ITSELF, _check)
