"""A resource depends on itself

## What it does
Reports a resource that is listed in the `dependencies` of its own objects, in any instance of its module. There is
one finding for each resource.

## Why is this bad?
No program writes this. Once the resource has left the configuration, a plan that orders by dependencies finds a
cycle. The state can be read, so this is a warning.

## Example
```json
{"type": "aws_eip", "name": "nat", "instances": [{"dependencies": ["aws_eip.nat"]}]}
```

## What to do
Run `statetool check --fix --select DEP003`, which removes the entry, or `tofu apply`, which rewrites dependencies from
the configuration.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from statefmt.lint.rule import Mend, Mending, Rule
from statefmt.lint.rules.dep import dependency_graph
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot


def _check(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    for static, targets in graph.edges.items():
        reported = set()
        for mention in graph.mentions(static, [static]) if static in targets else ():
            address = mention.resource.address
            if address not in reported:
                reported.add(address)
                yield Code.DEPENDENCY_ON_ITSELF.finding(
                    "Dependency on itself",
                    f"Resource {address} lists itself ({static}) in its dependencies.",
                    address,
                    mention.pointer,
                    "Remove the entry with check --fix, or run `tofu apply` to rewrite the dependencies.",
                )


def _mended(mending: Mending) -> Snapshot:
    return mending.with_resources(_without_itself)


def _without_itself(resource: ResourceState) -> ResourceState:
    itself = resource.addr.config()

    def mended(obj: ResourceInstanceObject) -> ResourceInstanceObject:
        return replace(obj, dependencies=tuple(other for other in obj.dependencies if other != itself))

    return replace(resource, objects=tuple([mended(obj) for obj in resource.objects]))


RULE = Rule(Code.DEPENDENCY_ON_ITSELF, _check, mend=Mend("removes the entry.", _mended))
