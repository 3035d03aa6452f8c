"""Renders matches as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from statefmt.analysis.search import Match, NotSearched
from statefmt.render.values.exact_json import exact_document, fragment


class SearchedState(NamedTuple):
    """What was found in a state; `left_out` is None if sensitive values were searched, too."""

    name: str
    matches: list[Match]
    left_out: NotSearched | None


def search_json(states: Sequence[SearchedState], unreadable: Sequence[tuple[str, str]]) -> bytes:
    """Render the matches, with numbers as written (schema: `grep-output.schema.json`).

    `unreadable` has the names of states that could not be searched in full, each with the reason.
    """
    return exact_document(
        {
            "states": [_state(one) for one in states],
            "unreadable": [{"path": name, "message": message} for name, message in unreadable],
        }
    )


def _state(searched: SearchedState) -> dict[str, object]:
    left_out = searched.left_out or NotSearched(0, 0)
    return {
        "path": searched.name,
        "matches": [_match(match) for match in searched.matches],
        "not_searched": {"objects": left_out.objects, "outputs": left_out.outputs},
    }


def _match(match: Match) -> dict[str, object]:
    return {
        "address": None if match.address is None else str(match.address),
        "deposed_key": match.deposed or None,
        "output": match.output or None,
        "path": match.path,
        "inner_path": match.inner_path,
        "value": fragment(match.value),
    }
