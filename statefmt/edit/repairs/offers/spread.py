"""Offers to join the blocks of a resource (ADR005)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import INSTANCES, PROVIDER, LooseState
from statefmt.formats.writing.changes import JsonPath, MovedText
from statefmt.golang import compact, fold_name
from statefmt.model.findings import Finding

_JOINED: Final = frozenset({"module", "mode", "type", "name", "each", PROVIDER, INSTANCES})


def spread_resource_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Join the blocks of a resource into the first that has objects."""
    blocks = state.blocks(path)
    base = next((block for block in blocks if next(state.parts((*block, INSTANCES)), None)), blocks[0])
    others = [block for block in blocks if block != base]
    extra = _unknown(state, base, others)
    if extra is None or len({state.string((*block, PROVIDER)) for block in blocks}) > 1:
        return
    number = f"{len(others)} other {'block' if len(others) == 1 else 'blocks'}"
    yield Choice("merge", f"join it with {number}; no object is lost", lambda _: extra | _moved(state, base, others))


def _moved(state: LooseState, base: JsonPath, others: Sequence[JsonPath]) -> dict[JsonPath, bytes | None]:
    changes: dict[JsonPath, bytes | None] = dict.fromkeys(others)
    for block in others:
        for one in state.parts((*block, INSTANCES)):
            changes[*base, INSTANCES, f"-{block[-1]}-{one[-1]}"] = MovedText(state.raw(one) or b"null", one)
    return changes


def _unknown(state: LooseState, base: JsonPath, others: Sequence[JsonPath]) -> dict[JsonPath, bytes | None] | None:
    """Return the unknown members of other blocks that the joined one gets; None if they differ."""
    extra: dict[JsonPath, bytes | None] = {}
    for block in others:
        for name in state.names(block):
            if fold_name(name) in _JOINED:
                continue
            raw, there = state.raw((*block, name)), extra.get((*base, name), state.raw((*base, name)))
            if raw is None or (there is not None and compact(there) != compact(raw)):
                return None
            if there is None:
                extra[*base, name] = raw
    return extra
