"""Joins the moves of all instances of a module call into one, as a single `moved` block can express it.

Source: OpenTofu `internal/addrs/move_endpoint_module.go` (addresses without a key stand for the whole module call).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from statefmt.analysis.diff._model import Movable, Move
from statefmt.model.addrs import NO_KEY, ModuleInstance


def with_whole_calls(
    found: Sequence[Move],
    removed: Iterable[ModuleInstance],
    staying: Iterable[ModuleInstance],
    allowed: Callable[[Movable, Movable], bool] = lambda _one, _other: True,
) -> Iterator[Move]:
    """Yield the moves, with one in place of those of all instances of a module call.

    Every instance has to keep its key and go to the same call, and nothing else may stay in the old call, leave either
    call or move into the new one. `removed` are the modules of instances that only the old state has, `staying` all
    modules of the new state. `allowed` says whether a call may move as a whole.
    """
    calls: dict[ModuleInstance, list[Move]] = {}
    for move in found:
        if _is_of_call(move):
            calls.setdefault(_call(move.old), []).append(move)
    if not calls:
        yield from found
        return
    leaving = _counted(move.old for move in found)
    entering = _counted(move.new for move in found)
    gone = set(_counted(removed))
    left = set(_counted(set(staying)))
    whole: dict[Move, Move | None] = {}
    for call, moves in calls.items():
        target = _call(moves[0].new)
        if (
            all(_call(move.new) == target for move in moves)
            and leaving[call] == entering[target] == len(moves)
            and target not in leaving
            and not gone & {call, target}
            and call not in left
            and allowed(call, target)
        ):
            whole |= dict.fromkeys(moves)
            whole[moves[0]] = Move(call, target, sum(move.count for move in moves))
    for move in found:
        if (joined := whole.get(move, move)) is not None:
            yield joined


def _is_of_call(move: Move) -> bool:
    """Return whether an instance of a module call keeps its key."""
    if not isinstance(move.old, ModuleInstance) or not isinstance(move.new, ModuleInstance):
        return False
    return move.old.steps[-1].key == move.new.steps[-1].key != NO_KEY


def _call(place: Movable) -> ModuleInstance:
    """Return the module call of an instance: its address without its own key."""
    assert isinstance(place, ModuleInstance)
    return place.parent().child(place.steps[-1].name)


def _counted(places: Iterable[Movable]) -> dict[ModuleInstance, int]:
    """Return how many places are in each module call, at any depth."""
    counts: dict[ModuleInstance, int] = {}
    for place in places:
        modules: Sequence[ModuleInstance] = (place if isinstance(place, ModuleInstance) else place.module).on_the_way
        for module in modules:
            counts[_call(module)] = counts.get(_call(module), 0) + 1
    return counts
