"""A dependency is named twice

## What it does
Reports a resource of which an object names a resource more than once in its `dependencies`, be it with different
module keys. It is said once for each resource and dependency.

## Why is this bad?
It is harmless: once is enough, and the next apply writes the list anew. But OpenTofu names each only once, so
something else has written here: information.

## Example
```json
"dependencies": ["aws_vpc.main", "aws_vpc.main"]
```

## What to do
Nothing, or remove the entry by hand.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.states.dependency_graph import ConfigDependencies, dependency_graph
from statefmt.lint.subject import ResourcePart, Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    told = set()
    for resource in graph.repeating:
        for target, pointers in _repeated(graph, resource).items():
            if (resource.address, target) not in told:
                told.add((resource.address, target))
                yield Code.DEPENDENCY_DUPLICATED.finding(
                    "Dependency named twice",
                    f"Resource {resource.address} names {target} more than once among the dependencies of an object "
                    f"({len(pointers)} of its objects {'does' if len(pointers) == 1 else 'do'}).",
                    resource.address,
                    pointers[0],
                    "Nothing needs to be done; the next apply writes the list anew.",
                )


def _repeated(graph: ConfigDependencies, resource: ResourcePart) -> dict[str, list[str]]:
    """What objects of a block name again, with the first such entry of each of these objects."""
    found: dict[str, list[str]] = {}
    for number, obj in enumerate(resource.document.instances or ()):
        seen: set[str] = set()
        again: set[str] = set()
        for entry, text in enumerate((obj.dependencies if obj is not None else None) or ()):
            target = graph.static(text)
            if target in seen and target not in again:
                again.add(target)
                found.setdefault(target, []).append(f"{resource.pointer}/instances/{number}/dependencies/{entry}")
            if target:
                seen.add(target)
    return found


RULE = Rule(Code.DEPENDENCY_DUPLICATED, _check)
