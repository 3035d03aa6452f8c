"""Finds moves in plans: objects that would be destroyed, and created again at another address with equal attributes.

    found = propose_moves({"": plan})       # moves, ambiguous groups, and objects left over

Only known attributes are compared, and nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import msgspec
from msgspec import Raw, Struct

from statefmt.analysis.diff.model import Movable, Move
from statefmt.analysis.diff.moved import whole_moves, with_whole_calls
from statefmt.analysis.moves._candidates import address_of, collect, is_managed
from statefmt.analysis.moves._pairing import pair
from statefmt.analysis.moves.proposals import IgnoredAttribute, MovedInstance, PlannedPlace, Proposals, ProposedMove
from statefmt.lifecycle.plan import Action, PlanError, ShownPlan
from statefmt.lifecycle.schema import ProviderSchemas
from statefmt.model.addrs import NO_KEY, AbsResource, AbsResourceInstance, Module, ModuleInstance
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.errors import AddressError

_ANOTHER_STATE: Final = "it moves to another state"
_NOT_ALONE: Final = "its address without a key names other instances, too"
_STILL_DECLARED: Final = "a block without keys would name the whole resource, which is still in the configuration"


def propose_moves(
    plans: Mapping[str, ShownPlan],
    ignored: Iterable[IgnoredAttribute] = (),
    *,
    schemas: ProviderSchemas | None = None,
    in_states: bool = False,
) -> Proposals:
    """Pair the managed objects that plans destroy with those that they create with equal attributes.

    `plans` are one plan or those of several states, by a name for each. Two objects are a pair if they have the same
    type and provider, all attributes that the plan knows of the created one equal those of the destroyed one, at least
    one of them says something, and no other object fits. Null and empty values are equal, and so are JSON documents
    in strings. `ignored` attributes are not compared. By `schemas`, sets are equal in any order.

    With `in_states`, the moves are for the states that the plans were made for: addresses are those before the moves
    that the plan itself makes, and what the configuration declares does not matter. Otherwise they are for `moved`
    blocks.

    Raises PlanError for an object whose attributes are nested too deeply, and SchemaError for an invalid schema.
    """
    collected = collect(plans, ignored, schemas, in_states=in_states)
    try:
        pairing = pair(collected.kinds)
    except RecursionError:
        raise PlanError("the attributes are nested too deeply to be compared") from None
    contents = {name: _PlanContents(plan, in_states=in_states) for name, plan in plans.items()}
    by_plans: dict[tuple[str, str], list[MovedInstance]] = {}
    for one in pairing.moved:
        by_plans.setdefault((one.source.plan, one.target.plan), []).append(one)
    left = (*pairing.destroyed, *(place for group in pairing.ambiguous for place in group.destroyed))
    order = {name: number for number, name in enumerate(plans)}
    return Proposals(
        moves=tuple(
            move
            for names in sorted(by_plans, key=lambda names: (order[names[0]], order[names[1]]))
            for move in _Whole(*names, contents, in_states=in_states).moves(by_plans[names], left)
        ),
        ambiguous=pairing.ambiguous,
        destroyed=pairing.destroyed,
        created=pairing.created,
        not_compared=pairing.not_compared,
        nearly_equal=pairing.nearly_equal,
        unused=collected.unused,
    )


class _Whole:
    """Joins the moves from one plan to another, or within one, into moves of whole resources and modules."""

    def __init__(self, source: str, target: str, contents: Mapping[str, _PlanContents], *, in_states: bool) -> None:
        self._source, self._target = source, target
        self._before, self._after = contents[source], contents[target]
        self._in_states = in_states

    def moves(self, moved: Sequence[MovedInstance], left: Iterable[PlannedPlace]) -> Iterator[ProposedMove]:
        pairs = [(one.source.address, one.target.address) for one in moved]
        joined = whole_moves(self._before.before, self._after.after, pairs, self._is_allowed)
        gone = [place.address.module for place in left if place.plan in (self._source, self._target)]
        joined = tuple(with_whole_calls(joined, gone, self._before.modules_after, self._is_allowed))
        instances: dict[Movable, list[MovedInstance]] = {move.old: [] for move in joined}
        for one in moved:
            instances[next(place for place in _around(one.source.address) if place in instances)].append(one)
        return (self._proposed(move, instances[move.old]) for move in joined)

    def _proposed(self, move: Move, instances: Sequence[MovedInstance]) -> ProposedMove:
        obstacle = self._obstacle(move.old, move.new)
        return ProposedMove(self._source, move.old, self._target, move.new, tuple(instances), obstacle)

    def _obstacle(self, old: Movable, new: Movable) -> str:
        if self._source != self._target and not self._in_states:
            return _ANOTHER_STATE
        if not self._before.is_alone(old):
            return _NOT_ALONE
        return "" if self._is_allowed(old, new) else _STILL_DECLARED

    def _is_allowed(self, old: Movable, new: Movable) -> bool:
        return self._before.is_alone(old) and (self._in_states or self._before.may_name(old, new))


def _around(address: AbsResourceInstance) -> Iterator[Movable]:
    """Yield all that may move with an instance in it, outermost first: module calls and modules, and the resource."""
    for module in address.module.on_the_way:
        yield module.parent().child(module.steps[-1].name)
        yield module
    yield address.containing_resource()
    yield address


_NO_MODULE: Final = "delete_because_no_module"
_MANAGED: Final = "managed"


class _PlanContents:
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
        self._declared: Final = _DeclaredNames(plan.configuration)

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


class _ResourceJSON(Struct, gc=False):
    address: str = ""


class _ModuleJSON(Struct, gc=False):
    resources: list[_ResourceJSON] | None = None
    module_calls: dict[str, _CallJSON] | None = None


class _CallJSON(Struct, gc=False):
    module: _ModuleJSON | None = None


class _ConfigurationJSON(Struct, gc=False):
    root_module: _ModuleJSON | None = None


class _DeclaredNames:
    """The modules and the resources that a configuration declares; all, if the plan has no readable configuration."""

    def __init__(self, raw: Raw | None) -> None:
        self._modules: Final[set[tuple[str, ...]]] = set()
        self._resources: Final[set[tuple[tuple[str, ...], str]]] = set()
        try:
            document = None if raw is None else msgspec.json.decode(raw, type=_ConfigurationJSON)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            document = None
        self._is_known: Final = document is not None
        root = document and document.root_module
        waiting: list[tuple[tuple[str, ...], _ModuleJSON]] = [((), root)] if root else []
        while waiting:
            names, module = waiting.pop()
            self._modules.add(names)
            self._resources.update((names, resource.address) for resource in module.resources or ())
            waiting += [
                ((*names, name), call.module or _ModuleJSON()) for name, call in (module.module_calls or {}).items()
            ]

    def has_module(self, module: Module) -> bool:
        """Return whether a module is called, by the path without keys."""
        return not self._is_known or module.names in self._modules

    def has_resource(self, resource: AbsResource) -> bool:
        """Return whether a resource block is declared, whatever its keys are."""
        return not self._is_known or (resource.module.module().names, str(resource.resource)) in self._resources
