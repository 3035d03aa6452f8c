"""Rules about dependencies (DEP), with the graph that they share.

The nodes of the graph are static addresses as strings, without keys, because `dependencies` do not contain keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec.structs import replace

from statefmt.analysis.cycles import cyclic_groups, short_cycles
from statefmt.formats.versions import InstanceObjectV4
from statefmt.lint.rule import Mend, Mending, Rule
from statefmt.lint.subject import ResourcePart, Subject
from statefmt.model.addrs import ConfigResource, ResourceMode
from statefmt.model.addrs.parsing import (
    parse_abs_resource_instance,
    parse_config_resource,
    parse_module_instance,
    usual_config_resource,
)
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot, depends_on_is_relative
from statefmt.text import pattern

# Number of parsed addresses to cache, for all files of a run.
_KEPT: Final = 65536
_KEY: Final = r'\[(?:0|[1-9][0-9]{0,8}|"[ !#&-\[\]-~]*+")\]'
_STEP: Final = rf"module\.[A-Za-z_][A-Za-z0-9_-]*+(?:{_KEY})?+"
# Ordinary addresses of modules, whose keys have no escapes.
_ORDINARY_MODULE: Final = pattern(rf"{_STEP}(?:\.{_STEP})*+")
_MODULE_KEY: Final = pattern(_KEY)


class Mention(NamedTuple):
    """An entry of an object's `dependencies` or `depends_on`."""

    target: str
    resource: ResourcePart
    instance: int
    entry: str

    @property
    def pointer(self) -> str:
        """The JSON pointer to the entry."""
        return f"{self.resource.pointer}/instances/{self.instance}/{self.entry}"


class ConfigDependencies:
    """The dependencies of one state.

    `blocks` maps static addresses to entries of `resources`, `edges` to the distinct targets in `dependencies` of
    their objects, and `on_instances` to the resources of the targets in `depends_on`; both omit resources without
    targets. `repeating` lists the blocks with an object whose `dependencies` repeat a target.
    """

    def __init__(self, subject: Subject) -> None:
        document = subject.inspection.document
        self._absolute = not depends_on_is_relative((document and document.terraform_version) or "")
        self.blocks: dict[str, list[ResourcePart]] = {}
        for resource in subject.resources:
            self.blocks.setdefault(_static_address(resource), []).append(resource)
        # The target of each valid entry; one string for each target, since a dense graph names it thousands of times.
        self._static: dict[str, str] = {address: address for address in self.blocks}
        self.edges: dict[str, Sequence[str]] = {}
        self.on_instances: dict[str, Sequence[str]] = {}
        self.repeating: list[ResourcePart] = []
        for address, blocks in self.blocks.items():
            edges: dict[str, None] = {}
            instances: dict[str, None] = {}
            for block in blocks:
                if self._add(block, edges, instances):
                    self.repeating.append(block)
            if edges:
                self.edges[address] = tuple(edges)
            if instances:
                self.on_instances[address] = tuple(instances)

    def missing(self) -> set[str]:
        """Return the targets that are not in the state."""
        return {target for target in self._static.values() if target not in self.blocks}

    def static(self, text: str | None) -> str:
        """Return the static address of the resource that an entry names, without keys, or "" if it is invalid."""
        known = self._static.get(text or "") or _static_target(text or "")
        if text and known:
            self._static[text] = known
        return known

    def mentions(self, address: str, targets: Collection[str]) -> Iterator[Mention]:
        """Yield the entries that name `targets` in objects of the resource at `address`, once per object and target."""
        for resource in self.blocks[address]:
            for number, obj in enumerate(resource.document.instances or ()):
                reported: set[str] = set()
                for target, entry in self._entries(obj) if obj is not None else ():
                    if target in targets and target not in reported:
                        reported.add(target)
                        yield Mention(target, resource, number, entry)

    def _add(self, block: ResourcePart, edges: dict[str, None], instances: dict[str, None]) -> bool:
        """Add the dependencies of a block's objects. Returns whether an object lists a target twice."""
        repeats = False
        known, last = self._static, None
        for obj in block.document.instances or ():
            # Skip equal lists: the instances of a resource nearly always have the same list.
            if obj is not None and obj.dependencies and obj.dependencies != last:
                last = obj.dependencies
                try:
                    targets = [known[text] for text in last]  # type: ignore[index] # null is not known
                except KeyError:
                    targets = [target for text in last if (target := self.static(text))]
                unlike = dict.fromkeys(targets)
                repeats = repeats or len(unlike) < len(targets)
                edges |= unlike
            if obj is not None and obj.depends_on and self._absolute:
                instances |= dict.fromkeys(target for target in map(self.static, obj.depends_on) if target)
        return repeats

    def _entries(self, obj: InstanceObjectV4) -> Iterator[tuple[str, str]]:
        """Yield the targets of an object, with the ends of the pointers to the entries."""
        for number, text in enumerate(obj.dependencies or ()):
            yield self.static(text), f"dependencies/{number}"
        for number, text in enumerate((obj.depends_on if self._absolute else None) or ()):
            yield self.static(text), f"depends_on/{number}"


def _static_address(resource: ResourcePart) -> str:
    """Return the address of a resource in the configuration, or its address unchanged if its module is invalid."""
    module = resource.document.module
    if not module or (static := _static_module(module)) == module:
        return resource.address
    return static + resource.address[len(module) :]


@lru_cache(maxsize=_KEPT)
def _static_module(text: str) -> str:
    if _ORDINARY_MODULE.fullmatch(text):
        return _MODULE_KEY.sub("", text)
    try:
        return str(parse_module_instance(text).module())
    except AddressError:
        return text


@lru_cache(maxsize=_KEPT)
def _static_target(text: str) -> str:
    if usual_config_resource(text) is not None:
        return text
    try:
        return str(parse_abs_resource_instance(text).config())
    except AddressError:
        return ""


def dependency_graph(subject: Subject) -> ConfigDependencies:
    """Return the dependencies of a state, shared by all rules."""
    return subject.once(ConfigDependencies)


def _dangling(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    missing = {
        target
        for target in graph.missing()
        if "ephemeral." not in target or parse_config_resource(target).resource.mode is not ResourceMode.EPHEMERAL
    }
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


def _without_dangling(mending: Mending) -> Snapshot:
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


def _on_itself(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    for static, targets in graph.edges.items():
        reported = set()
        for mention in graph.mentions(static, [static]) if static in targets else ():
            address = mention.resource.address
            if address not in reported:
                reported.add(address)
                detail = f"Resource {address} lists itself ({static}) in its dependencies."
                fix = "Remove the entry with check --fix, or run `tofu apply` to rewrite the dependencies."
                yield Code.DEPENDENCY_ON_ITSELF.finding("Dependency on itself", detail, address, mention.pointer, fix)


def _without_itself(resource: ResourceState) -> ResourceState:
    itself = resource.addr.config()
    objects = [
        replace(obj, dependencies=tuple(other for other in obj.dependencies if other != itself))
        for obj in resource.objects
    ]
    return replace(resource, objects=tuple(objects))


_SHOWN = 10


def _cycle(subject: Subject) -> Iterable[Finding]:
    graph = dependency_graph(subject)
    groups = cyclic_groups(graph.edges)
    for group, cycle in zip(groups, short_cycles(groups, graph.edges), strict=True):
        mention = next(graph.mentions(cycle[0], [cycle[1]]))
        more = len(group) - len(cycle)
        others = f" {more} more in cycles with these." if more else ""
        detail = f"Resources depend on each other in a cycle: {_shown(cycle)}.{others}"
        fix = "Run `tofu apply` to rewrite the dependencies from the configuration, or remove one entry with edit."
        yield Code.DEPENDENCY_CYCLE.finding("Dependency cycle", detail, mention.resource.address, mention.pointer, fix)


def _shown(cycle: list[str]) -> str:
    left_out = len(cycle) - _SHOWN
    names = [*cycle[:_SHOWN], f"({left_out} more)"] if left_out > 0 else cycle
    return " -> ".join([*names, cycle[0]])


def _duplicated(subject: Subject) -> Iterable[Finding]:
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


def _without_repetitions(obj: ResourceInstanceObject) -> ResourceInstanceObject:
    once = tuple(dict.fromkeys(obj.dependencies))
    return obj if len(once) == len(obj.dependencies) else replace(obj, dependencies=once)


RULES: Final = (
    Rule(
        Code.DEPENDENCY_ADDRESS_INVALID,
        fix=Subject.repairing,
        page="""A dependency is not a resource address

## What it does
Reports an entry of `dependencies` or `depends_on` that is not a resource address.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"dependencies": ["aws_vpc.main[0]"]
```

## What to do
Correct or remove the entry with `statetool repair`. Dependencies name resources, without instance keys.
""",
    ),
    Rule(
        Code.DEPENDENCY_DANGLING,
        _dangling,
        mend=Mend(
            "removes the entry. This is wrong if the resource is in the state under another address.",
            _without_dangling,
            is_safe=False,
        ),
        page="""A dependency is not in the state

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
""",
    ),
    Rule(
        Code.DEPENDENCY_ON_ITSELF,
        _on_itself,
        mend=Mend("removes the entry.", lambda mending: mending.with_resources(_without_itself)),
        page="""A resource depends on itself

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
""",
    ),
    Rule(
        Code.DEPENDENCY_CYCLE,
        _cycle,
        page="""Resources depend on each other in a cycle

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
""",
    ),
    Rule(
        Code.DEPENDENCY_DUPLICATED,
        _duplicated,
        mend=Mend(
            "keeps the first of each, and the order of the others.",
            lambda mending: mending.with_objects(_without_repetitions),
        ),
        page="""A dependency is listed twice

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
""",
    ),
)
