"""Prints moves found in plans as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from statefmt.analysis.moves.proposals import PlannedPlace, Proposals
from statefmt.model.addrs import AbsResource, ModuleInstance
from statefmt.render.json_output import document


def moves_json(found: Proposals, states: Mapping[str, Mapping[str, str]]) -> bytes:
    """Render proposals (schema: `moves-output.schema.json`). `states` has `path` and `plan` of each state by name."""
    return document(
        {
            "states": [{"name": name, **members} for name, members in states.items()],
            "moves": [
                {
                    "kind": _kind(move.source),
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
            "ambiguous": [
                {
                    "type": group.type,
                    "provider": group.provider,
                    "destroyed": _places(group.destroyed),
                    "created": _places(group.created),
                }
                for group in found.ambiguous
            ],
            "destroyed": _places(found.destroyed),
            "created": _places(found.created),
            "nearly_equal": [
                {"destroyed": _place(one.destroyed), "created": _place(one.created), "attributes": list(one.attributes)}
                for one in found.nearly_equal
            ],
        }
    )


def _kind(source: object) -> str:
    if isinstance(source, ModuleInstance):
        return "module"
    return "resource" if isinstance(source, AbsResource) else "instance"


def _places(places: Iterable[PlannedPlace]) -> list[dict[str, str]]:
    return [_place(place) for place in places]


def _place(place: PlannedPlace) -> dict[str, str]:
    return {"state": place.plan, "address": str(place.address)}
