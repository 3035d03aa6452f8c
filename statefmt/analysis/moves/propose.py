"""Proposes moves for what plans would destroy and create again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from statefmt.analysis.diff import Movable, Move
from statefmt.analysis.diff.whole_calls import with_whole_calls
from statefmt.analysis.diff.whole_moves import whole_moves
from statefmt.analysis.moves._candidates import collect
from statefmt.analysis.moves._contents import PlanContents
from statefmt.analysis.moves._pairing import pair
from statefmt.analysis.moves.ignored import IgnoredAttribute
from statefmt.analysis.moves.proposals import MovedInstance, PlannedPlace, Proposals, ProposedMove
from statefmt.lifecycle.plans.errors import PlanError
from statefmt.lifecycle.plans.plan import ShownPlan
from statefmt.lifecycle.schemas.providers import ProviderSchemas
from statefmt.model.addrs import AbsResourceInstance

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
    contents = {name: PlanContents(plan, in_states=in_states) for name, plan in plans.items()}
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

    def __init__(self, source: str, target: str, contents: Mapping[str, PlanContents], *, in_states: bool) -> None:
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
