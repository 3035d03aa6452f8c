"""Prints moves found in plans: as `moved` blocks, or as an operations file. Comments list what needs a decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from statefmt.analysis.moves import AmbiguousGroup, PlannedPlace, Proposals, ProposedMove
from statefmt.model.addrs.quoting import hcl_quote
from statefmt.render.moved_block import moved_block
from statefmt.render.printable import printable

# So many addresses of a group are listed on each side.
_MOST: Final = 20


def moved_blocks(found: Proposals) -> str:
    """Return the `moved` blocks, ready to paste into the root module; "" if nothing moves and nothing is ambiguous."""
    blocks = [_obstacle(move) or moved_block(move.source, move.target) for move in found.moves]
    return "\n".join([*blocks, *_ambiguous(found.ambiguous, named=False)])


def operations_file(found: Proposals, folders: Mapping[str, str]) -> str:
    """Return the content of an operations file; "" if nothing moves and nothing is ambiguous.

    `folders` has the names of the plans, which are those of the states, and their folders relative to the file.
    """
    used = {name for move in found.moves for name in (move.source_plan, move.target_plan)}
    states = [
        f"state {hcl_quote(name)} {{\n  path = {hcl_quote(folder)}\n}}\n"
        for name, folder in folders.items()
        if name in used
    ]
    moves = [
        _obstacle(move)
        or f"move {{\n  from = state.{move.source_plan}.{move.source}\n"
        f"  to   = state.{move.target_plan}.{move.target}\n}}\n"
        for move in found.moves
    ]
    return "\n".join([*states, *moves, *_ambiguous(found.ambiguous, named=True)])


def _obstacle(move: ProposedMove) -> str:
    return f"# {move.source} moved to {move.target}: {move.obstacle}\n" if move.obstacle else ""


def _ambiguous(groups: Iterable[AmbiguousGroup], *, named: bool) -> Iterator[str]:
    for group in groups:
        yield "\n".join([
            f"# Ambiguous: each of these objects of {printable(group.type)} would be destroyed",
            *_places(group.destroyed, named=named),
            "# and may be any of these, which would be created with equal attributes:",
            *_places(group.created, named=named),
            "",
        ])  # fmt: skip


def _places(places: tuple[PlannedPlace, ...], *, named: bool) -> Iterator[str]:
    for place in places[:_MOST]:
        yield f"#   {f'state.{place.plan}.' if named else ''}{place.address}"
    if len(places) > _MOST:
        yield f"#   and {len(places) - _MOST:,} more"
