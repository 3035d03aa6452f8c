"""Knows the instances of managed resources before and after a plan, and which addresses a `moved` block may name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from statefmt.analysis.diff import Movable
from statefmt.analysis.moves._candidates import address_of, is_managed
from statefmt.analysis.moves._declared import DeclaredNames
from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.plan import ShownPlan
from statefmt.model.addrs import NO_KEY, AbsResourceInstance, ModuleInstance, parse_abs_resource_instance
from statefmt.model.errors import AddressError

_NO_MODULE: Final = "delete_because_no_module"
_MANAGED: Final = "managed"


class PlanContents:
    """The addresses of managed resources before and after a plan, and what can be gone from its configuration."""

    def __init__(self, plan: ShownPlan, *, in_states: bool) -> None:
        before: set[AbsResourceInstance] = set()
        after: set[AbsResourceInstance] = set(_not_listed(plan))
        before |= after
        self._gone_modules: Final[set[ModuleInstance]] = set()
        for change in plan.resource_changes:
            if not is_managed(change):
                continue
            address = address_of(change, in_states=in_states)
            if change.action is not Action.CREATE:
                before.add(address)
            if change.action.leaves_object:
                after.add(address)
            if change.reason == _NO_MODULE:
                self._gone_modules.add(change.address.module)
        self.before: Final = Counter(address.containing_resource() for address in before)
        self.after: Final = Counter(address.containing_resource() for address in after)
        self._declared: Final = DeclaredNames(plan.configuration)

    @cached_property
    def modules_after(self) -> frozenset[ModuleInstance]:
        """The module instances with managed resources after the plan."""
        return frozenset(resource.module for resource in self.after)

    def is_alone(self, old: Movable) -> bool:
        """Return whether an address names nothing else before: one without a key also stands for all instances."""
        if isinstance(old, AbsResourceInstance):
            return old.key is not NO_KEY or self.before[old.containing_resource()] == 1
        if isinstance(old, ModuleInstance) and old.steps[-1].key is NO_KEY and old in self._modules_before:
            return self._instances_before[old] == 1
        return True

    @cached_property
    def _modules_before(self) -> frozenset[ModuleInstance]:
        return frozenset(around for module in {each.module for each in self.before} for around in module.on_the_way)

    @cached_property
    def _instances_before(self) -> Counter[ModuleInstance]:
        """The number of instances of each module call."""
        return Counter(module.parent().child(module.steps[-1].name) for module in self._modules_before)

    def may_name(self, old: Movable, new: Movable) -> bool:
        """Return whether a `moved` block may name `old`: it must no longer be declared.

        An address without a key stands for all instances, unless the other end has a key.
        """
        if isinstance(old, ModuleInstance):
            return self._may_name_module(old, new)
        if isinstance(old, AbsResourceInstance):
            if not (old.key is NO_KEY and isinstance(new, AbsResourceInstance) and new.key is NO_KEY):
                return True
            old = old.containing_resource()
        return old.module in self._gone_modules or not self._declared.has_resource(old)

    def _may_name_module(self, old: ModuleInstance, new: Movable) -> bool:
        if not self._declared.has_module(old.module()):
            return True
        has_key = isinstance(new, ModuleInstance) and not old.steps[-1].key is new.steps[-1].key is NO_KEY
        return has_key and old in self._gone_modules


def _not_listed(plan: ShownPlan) -> Iterator[AbsResourceInstance]:
    """Yield the instances that the plan leaves out, as with `-target`: they stay as they are."""
    if plan.prior_state is None:
        return
    listed = {str(change.address) for change in plan.resource_changes}
    for resource in plan.prior_state.resources():
        if resource.mode == _MANAGED and resource.address not in listed:
            try:
                yield parse_abs_resource_instance(resource.address)
            except AddressError:
                continue
