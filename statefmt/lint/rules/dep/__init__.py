"""Rules about dependencies (DEP). This module has the graph that they share, and DEP001, which the reader reports.

The nodes of the graph are static addresses as strings, without keys, because `dependencies` do not contain keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from statefmt.formats.versions import InstanceObjectV4
from statefmt.lint.rule import Rule
from statefmt.lint.subject import ResourcePart, Subject
from statefmt.model.addrs.parsing import parse_abs_resource_instance, parse_module_instance, usual_config_resource
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code
from statefmt.model.snapshot import depends_on_is_relative
from statefmt.text import pattern

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
)


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

    `blocks` maps static addresses to entries of `resources`, `edges` to the different targets in `dependencies` of
    their objects, and `on_instances` to the resources of the targets in `depends_on`; both only if there are any.
    `repeating` lists the blocks with an object whose `dependencies` repeat a target.
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
            # Skip equal lists: the instances of a resource nearly always have the same one.
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
