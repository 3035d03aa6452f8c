"""Prints the moves found in plans: as `moved` blocks, as an operations file, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from statefmt.analysis.diff.model import kind_of
from statefmt.analysis.moves.proposals import PlannedPlace, Proposals, ProposedMove
from statefmt.edit.operations_file.model import MoveBlock, StateBlock, operations_text
from statefmt.render.diff.blocks import moved_block
from statefmt.render.json_output import document
from statefmt.text import printable

# The maximum number of lines in each list.
_MOST: Final = 20


def moved_blocks(found: Proposals) -> str:
    """Return the `moved` blocks, ready to paste into the root module; "" if there are none."""
    blocks = [_obstacle(move) or moved_block(move.source, move.target) for move in found.moves]
    return "\n".join([*blocks, *_undecided(found, named=False)])


def operations_file(found: Proposals, folders: Mapping[str, str]) -> str:
    """Return the content of an operations file; "" if there are no operations.

    `folders` maps the names of the plans, which equal the names of the states, to their folders relative to the file.
    """
    used = {name for move in found.moves for name in (move.source_plan, move.target_plan)}
    states = {name: StateBlock(folder) for name, folder in folders.items() if name in used}
    moves = [
        _obstacle(move)
        or operations_text(
            {}, [MoveBlock(f"state.{move.source_plan}.{move.source}", f"state.{move.target_plan}.{move.target}")]
        )
        for move in found.moves
    ]
    blocks = [operations_text(states, []), *moves] if states else moves
    return "\n".join([*blocks, *_undecided(found, named=True)])


def _obstacle(move: ProposedMove) -> str:
    return f"# {move.source} moved to {move.target}: {move.obstacle}\n" if move.obstacle else ""


def _undecided(found: Proposals, *, named: bool) -> Iterator[str]:
    for group in found.ambiguous:
        yield "\n".join([
            f"# Ambiguous: each of these objects of {printable(group.type)} would be destroyed",
            *_listed([_place_text(place, named=named) for place in group.destroyed]),
            "# and may be any of these, which would be created with equal attributes:",
            *_listed([_place_text(place, named=named) for place in group.created]),
            "",
        ])  # fmt: skip
    if found.nearly_equal:
        near = [
            f"{_place_text(one.destroyed, named=named)} and {_place_text(one.created, named=named)}: "
            + printable(", ".join(one.attributes))
            for one in found.nearly_equal
        ]
        yield "\n".join(["# No pairs, since these attributes differ:", *_listed(near), ""])


def _place_text(place: PlannedPlace, *, named: bool) -> str:
    return f"{f'state.{place.plan}.' if named else ''}{place.address}"


def _listed(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"#   {line}" for line in lines[:_MOST])
    if len(lines) > _MOST:
        yield f"#   and {len(lines) - _MOST:,} more"


def moves_json(found: Proposals, states: Mapping[str, Mapping[str, str]]) -> bytes:
    """Render proposals (schema: `moves-output.schema.json`). `states` has `path` and `plan` of each state by name."""
    return document(
        states=[{"name": name, **members} for name, members in states.items()],
        moves=[
            {
                "kind": kind_of(move.source),
                "from_state": move.source_plan,
                "from": str(move.source),
                "to_state": move.target_plan,
                "to": str(move.target),
                "obstacle": move.obstacle or None,
                "instances": [
                    {
                        "from": str(one.source.address),
                        "to": str(one.target.address),
                        "evidence": one.evidence.value,
                        "attributes": list(one.attributes),
                    }
                    for one in move.instances
                ],
            }
            for move in found.moves
        ],
        ambiguous=[
            {
                "type": group.type,
                "provider": group.provider,
                "destroyed": _places(group.destroyed),
                "created": _places(group.created),
            }
            for group in found.ambiguous
        ],
        destroyed=_places(found.destroyed),
        created=_places(found.created),
        nearly_equal=[
            {
                "destroyed": _place_json(one.destroyed),
                "created": _place_json(one.created),
                "attributes": list(one.attributes),
            }
            for one in found.nearly_equal
        ],
    )


def _places(places: Iterable[PlannedPlace]) -> list[dict[str, str]]:
    return [_place_json(place) for place in places]


def _place_json(place: PlannedPlace) -> dict[str, str]:
    return {"state": place.plan, "address": str(place.address)}
