"""A dependency is not in the state

## What it does
Reports a resource whose objects depend (`dependencies`, `depends_on`) on a resource that the state does not have in
any instance of its module. There is one finding for each resource and missing dependency. Ephemeral resources are
ignored: they are never in a state.

## Why is this bad?
Dependencies determine the order in which OpenTofu destroys resources that have left the configuration, and a
missing resource breaks that order. `state rm`, the `state mv` of other tools and edits by hand leave such entries
behind. A resource with `count = 0` is a harmless case. The state can be read, and only a destroy is affected, so
this is a warning.

## Example
```json
"resources": [{"type": "aws_eip", "name": "nat", "instances": [{"dependencies": ["aws_internet_gateway.gone"]}]}]
```

## What to do
Run `tofu apply`, which rewrites the dependencies of all resources in the configuration. If the missing resource is
gone for good, `statetool check --fix --unsafe-fixes --select DEP002` removes the entries. If it is in the state under
another address, correct the entry with `statetool edit`.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from statefmt.lint.rule import Mend, Mending, Rule
from statefmt.lint.rules.dep import Mention, dependency_graph
from statefmt.lint.subject import Subject
from statefmt.model.addrs import ConfigResource, ResourceMode
from statefmt.model.addrs.parsing import parse_config_resource
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot, depends_on_is_relative


def _check(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    missing = {target for target in graph.missing() if not _is_ephemeral(target)}
    for depending in graph.blocks if missing else ():
        targets = missing.intersection((*graph.edges.get(depending, ()), *graph.on_instances.get(depending, ())))
        mentions: dict[tuple[str, str], list[Mention]] = {}
        for mention in graph.mentions(depending, targets) if targets else ():
            mentions.setdefault((mention.resource.address, mention.target), []).append(mention)
        for (address, target), found in mentions.items():
            yield Code.DEPENDENCY_DANGLING.finding(
                "Dependency on a resource that is not in the state",
                f"Resource {address} depends on {target}, which is not in the state "
                f"(in {len(found)} {'object' if len(found) == 1 else 'objects'}).",
                address,
                found[0].pointer,
                "Run `tofu apply` to rewrite the dependencies from the configuration, or remove it with check --fix "
                "--unsafe-fixes.",
            )


def _is_ephemeral(target: str) -> bool:
    return "ephemeral." in target and parse_config_resource(target).resource.mode is ResourceMode.EPHEMERAL


def _mended(mending: Mending) -> Snapshot:
    known = {resource.addr.config() for resource in mending.snapshot.resources}
    is_relative = depends_on_is_relative(mending.snapshot.terraform_version)

    def is_there(target: ConfigResource) -> bool:
        return target in known or target.resource.mode is ResourceMode.EPHEMERAL

    def mended(obj: ResourceInstanceObject) -> ResourceInstanceObject:
        return replace(
            obj,
            dependencies=tuple(target for target in obj.dependencies if is_there(target)),
            depends_on=tuple(target for target in obj.depends_on if is_relative or is_there(target.config())),
        )

    return mending.with_objects(mended)


RULE = Rule(
    Code.DEPENDENCY_DANGLING,
    _check,
    mend=Mend(
        "removes the entry. This is wrong if the resource is in the state under another address.",
        _mended,
        is_safe=False,
    ),
)
