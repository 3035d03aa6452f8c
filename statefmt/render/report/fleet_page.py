"""Renders the HTML reports on many states: their findings, their sizes over time, and their references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from statefmt.fleet import (
    FleetError,
    FleetGraph,
    FleetOverview,
    IndexedRun,
    IndexedState,
    duplicate_objects,
    fleet_graph,
    fleet_overview,
    state_copies,
    stored_findings,
)
from statefmt.lint.checked import CheckedState
from statefmt.lint.gate import Gate
from statefmt.lint.registry import all_rules
from statefmt.model.findings import Finding
from statefmt.render.findings import message
from statefmt.render.fleet import MATCHES
from statefmt.render.graph import short_names
from statefmt.render.report import HEIGHT, WIDTH, Area, drawn, grouped_areas, page
from statefmt.text import printable

_MOST_STATES: Final = 20_000
_MOST_ENTRIES: Final = 100
_MOST_LARGEST: Final = 20
_MOST_LEVELS: Final = 8
# The heading of states that are not in a folder.
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


# Values for a template, by name.
_Row: TypeAlias = dict[str, object]


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
            "chart": _run_chart(overview.runs),
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
            "drawn": _drawn_graph(graph),
            "readers": overview.readers[:_MOST_LARGEST],
            "stale": stale[:_MOST_ENTRIES],
            "n_stale": len(stale),
            "unknown": len(graph.unknown),
        },
    )


def _findings(index: Path, gate: Gate) -> tuple[_Row, str]:
    """Return the findings, and the reason for their absence if the index was made without the rules."""
    try:
        with stored_findings(index, gate) as found:
            return _fleet_findings(found), ""
    except FleetError as error:
        return _fleet_findings(()), str(error)


def _areas(overview: FleetOverview, short: Mapping[str, str]) -> Sequence[Area]:
    folders: dict[str, dict[str, int]] = {}
    for state in overview.states:
        if state.size:
            name = printable(short[state.uri])
            folders.setdefault(_folder(state, name), {})[name] = state.size
    return grouped_areas(_divided(folders), "folder", "state")


def _divided(folders: Mapping[str, Mapping[str, int]]) -> dict[str, Mapping[str, int]]:
    """Divide the folder with the most bytes into its subfolders, and so on."""
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
    """Return the first folder of a state below the common one; for states without a folder, their scheme."""
    first, slash, _ = name.lstrip("/").partition("/")
    if slash and "://" not in name:
        return first
    scheme, separator, rest = state.uri.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}" if separator else _FIRST


_MOST_STATES_OF_CODE: Final = 20


def _fleet_findings(checked: Iterable[CheckedState]) -> _Row:
    """Count the findings of states by rule, the most severe first, without keeping any state.

    The share of a rule is relative to the rule with the most findings, from 0 to 1. Each has one of its messages, and
    the states with most of its findings. `hidden` counts findings in the baseline.
    """
    first: dict[str, Finding] = {}
    options: dict[str, str] = {}
    states: dict[str, Counter[str]] = {}
    severities: Counter[str] = Counter()
    hidden = 0
    for state in checked:
        hidden += state.hidden
        for finding in state.findings:
            first.setdefault(finding.code, finding)
            states.setdefault(finding.code, Counter())[state.name] += 1
            severities[finding.severity.value] += 1
        options |= {code: way.options for code, way in state.fixes.items()}
    numbers = {code: of.total() for code, of in states.items()}
    ranked = sorted(first, key=lambda code: (-first[code].severity.rank, -numbers[code], code))
    most = max(numbers.values(), default=1)
    rules = all_rules()
    tallies = [
        {
            "code": code,
            "severity": first[code].severity.value,
            "rule": rules[code].name if code in rules else first[code].summary,
            "findings": numbers[code],
            "states": len(states[code]),
            "share": numbers[code] / most,
            "first": message(first[code]),
            "option": options.get(code, ""),
            "most": states[code].most_common(_MOST_STATES_OF_CODE),
            "omitted": max(0, len(states[code]) - _MOST_STATES_OF_CODE),
        }
        for code in ranked
    ]
    return {"rules": tallies, "severities": severities, "hidden": hidden}


_MOST_RUNS: Final = 60
_WIDTH: Final = 1000
_HEIGHT: Final = 220
_LEFT: Final = 70
_RIGHT: Final = 20
_TOP: Final = 14
_BOTTOM: Final = 30


class ChartPoint(NamedTuple):
    """A number at a run, with its position in the drawing."""

    x: float
    y: float
    text: str


def _run_chart(runs: Sequence[IndexedRun]) -> _Row | None:
    """Draw the findings of the last runs by severity; None with fewer than two runs with checks.

    Each line has points, and the path through them. `marks` are lines at round numbers, `ends` the times of both
    ends.
    """
    runs = [run for run in runs if run.checks][-_MOST_RUNS:]
    if len(runs) < 2:
        return None
    series = {
        "error": [run.errors for run in runs],
        "warning": [run.warnings for run in runs],
        "info": [run.infos for run in runs],
    }
    step = _step(max(map(max, series.values())))
    top = max(1, -(-max(map(max, series.values())) // step)) * step
    xs = [_LEFT + (_WIDTH - _LEFT - _RIGHT) * place / (len(runs) - 1) for place in range(len(runs))]
    lines = []
    for severity, numbers in series.items():
        points = [
            ChartPoint(x, _y(number, top), f"{run.started}, run {run.run_id}: {number:,} of severity {severity}")
            for x, number, run in zip(xs, numbers, runs, strict=True)
        ]
        path = "".join(f"{'L' if place else 'M'}{point.x:.1f} {point.y:.1f}" for place, point in enumerate(points))
        lines.append({"severity": severity, "path": path, "points": points})
    marks = [ChartPoint(_LEFT, _y(number, top), f"{number:,}") for number in range(0, top + 1, step)]
    ends = [ChartPoint(xs[0], _HEIGHT - 8, runs[0].started), ChartPoint(xs[-1], _HEIGHT - 8, runs[-1].started)]
    return {"width": _WIDTH, "height": _HEIGHT, "left": _LEFT, "lines": lines, "marks": marks, "ends": ends}


def _y(number: int, top: int) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * number / top


def _step(most: int) -> int:
    """Return the distance of two to five marks: 1, 2 or 5 times a power of ten."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power * 5 >= most:
                return factor * power
        power *= 10


_MOST_NODES: Final = 80


def fleet_graph_page(graph: FleetGraph, name: str, made: datetime) -> bytes:
    """Render the page of a graph in HTML, given the name of its index and the time."""
    stale = [one for one in graph.references if one.stale]
    return page("fleet_graph.html", name, made, {"graph": graph, "drawn": _drawn_graph(graph), "stale": stale})


def _drawn_graph(graph: FleetGraph) -> _Row:
    """Draw a graph, with the data for the page's script to find states."""
    place = {state_id: number for number, state_id in enumerate(graph.nodes)}
    lost = [place[state_id] for state_id, node in graph.nodes.items() if node.is_lost]
    uris = {state_id: node.uri for state_id, node in graph.nodes.items()}
    data = {
        "names": [printable(uri) for uri in uris.values()],
        "missing": lost,
        "edges": [(place[one.source], place[one.target]) for one in graph.references],
    }
    return {"overview": _fleet_drawing(graph), "uris": uris, "places": place, "data": data}


def _fleet_drawing(graph: FleetGraph) -> _Row:
    """Draw the states that read others or that others read; if these are too many, their folders.

    `stale` has the pairs of nodes with a stale reference, `missing` the states that are not in the index or cannot be
    read.
    """
    names = {state_id: printable(name) for state_id, name in short_names(graph.joined()).items()}
    group = dict(zip(names, names, strict=True))
    labels, omitted = names, 0
    if folders := len(names) > _MOST_NODES:
        group, sizes = _folders(names)
        shown = sorted(sizes, key=lambda folder: -sizes[folder])[:_MOST_NODES]
        omitted = len(sizes) - len(shown)
        labels = {folder: f"{folder} ({sizes[folder]:,})" for folder in shown}
    edges: dict[str, dict[str, None]] = {node: {} for node in labels}
    stale = set()
    for one in graph.references:
        source, target = group[one.source], group[one.target]
        if source != target and source in labels and target in labels:
            edges[source][target] = None
            if one.stale:
                stale.add((source, target))
    missing = {group[state_id] for state_id in names if graph.nodes[state_id].is_lost} if not folders else set()
    drawing = drawn(labels, {source: [*targets] for source, targets in edges.items()})
    return {"drawing": drawing, "folders": folders, "omitted": omitted, "stale": stale, "missing": missing}


def _folders(names: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """Return the first folder of each state, and the number of states in each."""
    group: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for state_id, name in names.items():
        folder = name.lstrip("/").partition("/")[0]
        group[state_id] = folder
        sizes[folder] = sizes.get(folder, 0) + 1
    return group, sizes
