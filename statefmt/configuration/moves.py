"""Applies `moved` blocks to the addresses of a state, and reads `removed` blocks.

Sources: OpenTofu `internal/addrs/move_endpoint_module.go`; `internal/refactoring/move_execute.go`,
`remove_statement.go`.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from statefmt.configuration.model import Configuration, MovedBlock, RemovedBlock
from statefmt.hcl.syntax import Expression, as_traversal, reference_text
from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    ConfigResource,
    InstanceKey,
    IntKey,
    Module,
    ModuleInstance,
    ModuleStep,
)
from statefmt.model.addrs.parsing import parse_abs_resource_instance, parse_module_instance
from statefmt.model.errors import AddressError


class DeclaredMove(msgspec.Struct, frozen=True):
    """A `moved` block of one module, with parsed addresses: both of modules, or both of resources.

    `whole` means that neither address ends with a key: all instances move and keep their keys.
    """

    module: Module
    source: ModuleInstance | AbsResourceInstance
    target: ModuleInstance | AbsResourceInstance
    whole: bool
    block: MovedBlock

    def taken(self, address: AbsResourceInstance) -> AbsResourceInstance | None:
        """Return the address to which this block moves a resource instance; None if it does not apply to it."""
        depth = len(self.module.names)
        outer, inner = address.module.steps[:depth], address.module.steps[depth:]
        if tuple(step.name for step in outer) != self.module.names:
            return None
        if isinstance(self.source, ModuleInstance):
            assert isinstance(self.target, ModuleInstance)
            count = len(self.source.steps)
            if not self._same_steps(inner[:count]):
                return None
            steps = self.target.steps
            if self.whole:
                steps = (*steps[:-1], ModuleStep(steps[-1].name, inner[count - 1].key))
            module = ModuleInstance((*outer, *steps, *inner[count:]))
            return AbsResourceInstance(module, address.resource)
        assert isinstance(self.target, AbsResourceInstance)
        same = self.source.module.steps == inner and self.source.resource.resource == address.resource.resource
        if not same or (not self.whole and self.source.key != address.key):
            return None
        key = address.key if self.whole else self.target.key
        module = ModuleInstance((*outer, *self.target.module.steps))
        return AbsResourceInstance(module, self.target.resource.resource.instance(key))

    def _same_steps(self, steps: tuple[ModuleStep, ...]) -> bool:
        assert isinstance(self.source, ModuleInstance)
        own = self.source.steps
        if not self.whole:
            return steps == own
        return len(steps) == len(own) and steps[:-1] == own[:-1] and steps[-1].name == own[-1].name


class DeclaredRemoval(msgspec.Struct, frozen=True):
    """A `removed` block with its parsed address: of a module or of a resource, without keys."""

    module: Module
    resource: ConfigResource | None
    block: RemovedBlock

    def covers(self, address: AbsResourceInstance) -> bool:
        """Return whether this block applies to a resource instance."""
        if self.resource is not None:
            return address.config() == self.resource
        return tuple(step.name for step in address.module.steps[: len(self.module.names)]) == self.module.names


def moves(configuration: Configuration) -> list[DeclaredMove]:
    """Return all `moved` blocks with valid addresses."""
    found: list[DeclaredMove] = []
    for path, module in configuration.modules.items():
        for block in module.declarations.moved:
            source, target = moved_endpoint(block.source), moved_endpoint(block.target)
            if source is None or target is None or type(source) is not type(target):
                continue
            whole = _last_key(source) is NO_KEY and _last_key(target) is NO_KEY
            found.append(DeclaredMove(path, source, target, whole, block))
    return found


def removals(configuration: Configuration) -> list[DeclaredRemoval]:
    """Return all `removed` blocks with valid addresses."""
    found: list[DeclaredRemoval] = []
    for path, module in configuration.modules.items():
        for block in module.declarations.removed:
            endpoint = moved_endpoint(block.source)
            if isinstance(endpoint, ModuleInstance):
                found.append(DeclaredRemoval(Module((*path.names, *endpoint.module().names)), None, block))
            elif endpoint is not None:
                within = Module((*path.names, *endpoint.module.module().names))
                found.append(DeclaredRemoval(within, ConfigResource(within, endpoint.resource.resource), block))
    return found


def moved_to(
    given: list[DeclaredMove], address: AbsResourceInstance
) -> tuple[AbsResourceInstance, tuple[DeclaredMove, ...]]:
    """Return the address to which all blocks together move a resource instance, and the blocks that applied."""
    steps: list[DeclaredMove] = []
    left = list(given)
    while move := next((each for each in left if each.taken(address) is not None), None):
        # Apply each block once, so that circular moves terminate.
        left.remove(move)
        steps.append(move)
        address = move.taken(address) or address
    return address, tuple(steps)


def implied_move(
    address: AbsResourceInstance, *, counted: bool, repeated: bool, others: Mapping[InstanceKey, object]
) -> AbsResourceInstance:
    """Return the address of an instance after OpenTofu's implied move.

    When `count` is added, the instance without a key moves to key 0; when it is removed, the reverse. `counted` means
    that the block has `count` now, `repeated` that it has any repetition. `others` are the keys of the resource in
    the state. Source: `internal/refactoring/move_statement.go`, ImpliedMoveStatements.
    """
    if address.key is NO_KEY and counted and IntKey(0) not in others:
        return _with_key(address, IntKey(0))
    if address.key == IntKey(0) and not repeated and NO_KEY not in others:
        return _with_key(address, NO_KEY)
    return address


def _with_key(address: AbsResourceInstance, key: InstanceKey) -> AbsResourceInstance:
    return AbsResource(address.module, address.resource.resource).instance(key)


def moved_endpoint(expression: Expression) -> ModuleInstance | AbsResourceInstance | None:
    """Parse an address of a `moved` or `removed` block, of a module or a resource; None if it is invalid."""
    traversal = as_traversal(expression)
    if traversal is None:
        return None
    text = reference_text(traversal.root, traversal.steps)
    try:
        return parse_abs_resource_instance(text)
    except AddressError:
        pass
    try:
        return parse_module_instance(text)
    except AddressError:
        return None


def _last_key(endpoint: ModuleInstance | AbsResourceInstance) -> InstanceKey:
    return endpoint.steps[-1].key if isinstance(endpoint, ModuleInstance) else endpoint.key
