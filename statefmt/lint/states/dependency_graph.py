"""Which resource depends on which.

The nodes are static addresses as text, without the keys of modules: that is all that `dependencies` say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from statefmt.formats.versions.v4 import InstanceObjectV4
from statefmt.lint.subject import ResourcePart, Subject
from statefmt.model.addrs import parse_abs_resource_instance, parse_module_instance
from statefmt.model.errors import AddressError
from statefmt.model.terraform_version import depends_on_is_relative

# Addresses that were read, of all files of a run.
_KEPT: Final = 65536


class Mention(NamedTuple):
    """One object that depends on something, and the entry that says so."""

    target: str
    resource: ResourcePart
    instance: int
    entry: str

    @property
    def pointer(self) -> str:
        """The place of the entry."""
        return f"{self.resource.pointer}/instances/{self.instance}/{self.entry}"


class ConfigDependencies:
    """The dependencies of one state.

    `blocks` has the entries of `resources` by static address, and for each of them `edges` has what its objects
    name in `dependencies`, and `on_instances` the resources of what they name in `depends_on`. `repeating` are the
    blocks of which an object names something twice.
    """

    def __init__(self, subject: Subject) -> None:
        document = subject.inspection.document
        self._absolute = not depends_on_is_relative((document and document.terraform_version) or "")
        self.blocks: dict[str, list[ResourcePart]] = {}
        for resource in subject.resources:
            self.blocks.setdefault(_static_address(resource), []).append(resource)
        self._static: dict[str, str] = {address: address for address in self.blocks}
        self.edges: dict[str, dict[str, None]] = {}
        self.on_instances: dict[str, dict[str, None]] = {}
        self.repeating: list[ResourcePart] = []
        for address, blocks in self.blocks.items():
            edges: dict[str, None] = {}
            instances: dict[str, None] = {}
            for block in blocks:
                if self._add(block, edges, instances):
                    self.repeating.append(block)
            self.edges[address] = edges
            self.on_instances[address] = instances

    def static(self, text: str | None) -> str:
        """The static address of the resource that an entry names, whatever keys it has; "" where it names none."""
        known = self._static.get(text or "")
        if known is None:
            known = self._static[text or ""] = _static_target(text or "")
        return known

    def mentions(self, address: str, targets: Collection[str]) -> Iterator[Mention]:
        """Which objects of the resource at `address` depend on which `targets`, each object and target once."""
        for resource in self.blocks[address]:
            for number, obj in enumerate(resource.document.instances or ()):
                told: set[str] = set()
                for target, entry in self._entries(obj) if obj is not None else ():
                    if target in targets and target not in told:
                        told.add(target)
                        yield Mention(target, resource, number, entry)

    def _add(self, block: ResourcePart, edges: dict[str, None], instances: dict[str, None]) -> bool:
        """Add what the objects of a block depend on; gives whether one of them names something twice."""
        repeats = False
        known, last = self._static, None
        for obj in block.document.instances or ():
            # The instances of a resource nearly always have the same list.
            if obj is not None and obj.dependencies and obj.dependencies != last:
                last = obj.dependencies
                targets = [target for text in last if (target := known.get(text or "") or self.static(text))]
                unlike = dict.fromkeys(targets)
                repeats = repeats or len(unlike) < len(targets)
                edges |= unlike
            if obj is not None and obj.depends_on and self._absolute:
                instances |= dict.fromkeys(target for target in map(self.static, obj.depends_on) if target)
        return repeats

    def _entries(self, obj: InstanceObjectV4) -> Iterator[tuple[str, str]]:
        """What an object names, with the ends of the pointers to the entries."""
        for number, text in enumerate(obj.dependencies or ()):
            yield self.static(text), f"dependencies/{number}"
        for number, text in enumerate((obj.depends_on if self._absolute else None) or ()):
            yield self.static(text), f"depends_on/{number}"


def _static_address(resource: ResourcePart) -> str:
    """Where the configuration has a resource; its address as it is where its module is not valid."""
    module = resource.document.module
    if not module:
        return resource.address
    return _static_module(module) + resource.address[len(module) :]


@lru_cache(maxsize=_KEPT)
def _static_module(text: str) -> str:
    try:
        return str(parse_module_instance(text).module())
    except AddressError:
        return text


@lru_cache(maxsize=_KEPT)
def _static_target(text: str) -> str:
    try:
        return str(parse_abs_resource_instance(text).config())
    except AddressError:
        return ""


def dependency_graph(subject: Subject) -> ConfigDependencies:
    """The dependencies of a state, for all rules."""
    return subject.once(ConfigDependencies)
