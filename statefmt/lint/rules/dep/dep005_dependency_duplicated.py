"""A dependency is listed twice

## What it does
Reports a resource with an object that lists a resource more than once in its `dependencies`, even with different
module keys. There is one finding for each resource and dependency.

## Why is this bad?
It is harmless, and the next apply rewrites the list. But OpenTofu lists each dependency only once, so something
else has edited the state: this is information.

## Example
```json
"dependencies": ["aws_vpc.main", "aws_vpc.main"]
```

## What to do
Nothing, or run `statetool check --fix --select DEP005`.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from statefmt.lint.rule import Mend, Mending, Rule
from statefmt.lint.rules.dep import ConfigDependencies, dependency_graph
from statefmt.lint.subject import ResourcePart, Subject
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot


def _check(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    reported = set()
    for resource in graph.repeating:
        for target, pointers in _repeated(graph, resource).items():
            if (resource.address, target) not in reported:
                reported.add((resource.address, target))
                yield Code.DEPENDENCY_DUPLICATED.finding(
                    "Dependency listed twice",
                    f"Resource {resource.address} lists {target} more than once in the dependencies of an object "
                    f"(in {len(pointers)} {'object' if len(pointers) == 1 else 'objects'}).",
                    resource.address,
                    pointers[0],
                    "No action is needed; the next apply rewrites the list.",
                )


def _repeated(graph: ConfigDependencies, resource: ResourcePart) -> dict[str, list[str]]:
    """Map each repeated dependency of a block to the pointer of its first repetition in each object."""
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


def _mended(mending: Mending) -> Snapshot:
    return mending.with_objects(_without_repetitions)


def _without_repetitions(obj: ResourceInstanceObject) -> ResourceInstanceObject:
    once = tuple(dict.fromkeys(obj.dependencies))
    return obj if len(once) == len(obj.dependencies) else replace(obj, dependencies=once)


RULE = Rule(
    Code.DEPENDENCY_DUPLICATED, _check, mend=Mend("keeps the first of each, and the order of the others.", _mended)
)
