"""A dependency on a resource that is not in the state

## What it does
Reports a resource whose objects depend (`dependencies`, `depends_on`) on a resource that the state doesn't have, in
any instance of its module. It is said once for each resource and missing dependency. Ephemeral resources, which are
in no state, don't count.

## Why is this bad?
Dependencies give the order of destruction for what has left the configuration, and through a missing resource that
order is lost. It is what `state rm`, a `state mv` of another tool or a hand edit leaves behind. There is a harmless
case: a resource with `count = 0`. The state can be read; the surprise comes with a destroy: a warning.

## Example
```json
"resources": [{"type": "aws_eip", "name": "nat", "instances": [{"dependencies": ["aws_internet_gateway.gone"]}]}]
```

## What to do
`tofu apply` writes the dependencies of all that it finds in the configuration anew. Where the resource is there
under another address, correct the entry by hand.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.states.dependency_graph import Mention, dependency_graph
from statefmt.lint.subject import Subject
from statefmt.model.addrs import ResourceMode, parse_config_resource
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    named = set().union(*graph.edges.values(), *graph.on_instances.values())
    missing = {target for target in named - graph.blocks.keys() if not _is_ephemeral(target)}
    for depending in graph.blocks if missing else ():
        targets = missing & (graph.edges[depending].keys() | graph.on_instances[depending].keys())
        mentions: dict[tuple[str, str], list[Mention]] = {}
        for mention in graph.mentions(depending, targets) if targets else ():
            mentions.setdefault((mention.resource.address, mention.target), []).append(mention)
        for (address, target), found in mentions.items():
            yield Code.DEPENDENCY_DANGLING.finding(
                "Dependency on a resource that is not in the state",
                f"Resource {address} depends on {target}, which is not in the state "
                f"({len(found)} of its objects {'says' if len(found) == 1 else 'say'} so).",
                address,
                found[0].pointer,
                "`tofu apply` writes dependencies anew from the configuration; else correct the entry by hand.",
            )


def _is_ephemeral(target: str) -> bool:
    return "ephemeral." in target and parse_config_resource(target).resource.mode is ResourceMode.EPHEMERAL


RULE = Rule(Code.DEPENDENCY_DANGLING, _check)
