"""Renders the report on many states from their index: a page that works offline, and without its script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from statefmt.fleet import (
    FleetError,
    FleetOverview,
    IndexedState,
    duplicate_objects,
    fleet_graph,
    fleet_overview,
    state_copies,
    stored_findings,
)
from statefmt.lint.gate import Gate
from statefmt.render.fleet.duplicates import MATCHES
from statefmt.render.fleet.graph.labels import short_names
from statefmt.render.printable import printable
from statefmt.render.report._environment import page
from statefmt.render.report._fleet_findings import FleetFindings, fleet_findings
from statefmt.render.report._room import HEIGHT, WIDTH, Area, grouped_areas
from statefmt.render.report._run_chart import run_chart
from statefmt.render.report.fleet_graph_page import drawn_graph

_MOST_STATES: Final = 20_000
_MOST_ENTRIES: Final = 100
_MOST_LARGEST: Final = 20
_MOST_LEVELS: Final = 8
# Heads the states that are not in a folder of their own.
_FIRST: Final = "states"
_SECTIONS: Final = (
    ("totals", "Totals"),
    ("findings", "Findings"),
    ("releases", "Releases"),
    ("sizes", "Sizes"),
    ("duplicates", "Duplicates"),
    ("references", "References"),
    ("stale", "Stale references"),
    ("states", "States"),
)


def fleet_page(index: Path, name: str, gate: Gate, made: datetime) -> bytes:
    """Render the report on the states of an index in HTML, with findings as a gate selects them. Raises FleetError.

    The index has no sensitive values, and the page shows no attributes and no outputs.
    """
    overview = fleet_overview(index)
    findings, unchecked = _findings(index, gate)
    graph = fleet_graph(index)
    short = {graph.nodes[state_id].uri: place for state_id, place in short_names(graph).items()}
    duplicates = duplicate_objects(index)
    copies = state_copies(index)
    stale = [one for one in graph.references if one.stale]
    ranked = sorted(overview.states, key=lambda state: -(state.size or 0))
    return page(
        "fleet.html",
        printable(name),
        made,
        {
            "sections": _SECTIONS,
            "states": overview.states[:_MOST_STATES],
            "number": len(overview.states),
            "failed": [state for state in overview.states if state.error is not None],
            "objects": sum(state.n_objects for state in overview.states),
            "resources": sum(state.n_resources for state in overview.states),
            "bytes": sum(state.size or 0 for state in overview.states),
            "encrypted": sum(state.encrypted for state in overview.states),
            "short": short,
            "findings": findings,
            "unchecked": unchecked,
            "runs": overview.runs,
            "chart": run_chart(overview.runs),
            "releases": overview.releases,
            "most_used": max((one.states for one in overview.releases), default=1),
            "areas": _areas(overview, short),
            "room": (WIDTH, HEIGHT),
            "largest": ranked[:_MOST_LARGEST],
            "growth": overview.growth[:_MOST_LARGEST],
            "matches": MATCHES,
            "duplicates": duplicates[:_MOST_ENTRIES],
            "n_duplicates": len(duplicates),
            "copies": copies[:_MOST_ENTRIES],
            "n_copies": len(copies),
            "drawn": drawn_graph(graph),
            "readers": overview.readers[:_MOST_LARGEST],
            "stale": stale[:_MOST_ENTRIES],
            "n_stale": len(stale),
            "unknown": len(graph.unknown),
        },
    )


def _findings(index: Path, gate: Gate) -> tuple[FleetFindings, str]:
    """Return the findings, and why there are none if the index was made without the rules."""
    try:
        with stored_findings(index, gate) as found:
            return fleet_findings(found), ""
    except FleetError as error:
        return FleetFindings((), {}, 0), str(error)


def _areas(overview: FleetOverview, short: Mapping[str, str]) -> Sequence[Area]:
    folders: dict[str, dict[str, int]] = {}
    for state in overview.states:
        if state.size:
            name = printable(short[state.uri])
            folders.setdefault(_folder(state, name), {})[name] = state.size
    return grouped_areas(_divided(folders), "folder", "state")


def _divided(folders: Mapping[str, Mapping[str, int]]) -> dict[str, Mapping[str, int]]:
    """Divide the folder that has most of the bytes into its own folders, and so on."""
    found = dict(folders)
    total = sum(sum(sizes.values()) for sizes in found.values())
    for _ in range(_MOST_LEVELS):
        largest = max(found, key=lambda folder: sum(found[folder].values()), default="")
        if not found or 2 * sum(found[largest].values()) <= total:
            break
        divided: dict[str, dict[str, int]] = {}
        for name, size in found.pop(largest).items():
            below = name.lstrip("/").partition(f"{largest}/")
            first, slash, _ = below[2].partition("/")
            divided.setdefault(f"{largest}/{first}" if slash and not below[0] else largest, {})[name] = size
        found |= divided
    return found


def _folder(state: IndexedState, name: str) -> str:
    """Return the first folder of a state below the one that all have; for those without one, their scheme."""
    first, slash, _ = name.lstrip("/").partition("/")
    if slash and "://" not in name:
        return first
    scheme, separator, rest = state.uri.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}" if separator else _FIRST
