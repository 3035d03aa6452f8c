"""Renders the report on one state: a page that works offline, and without its script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from statefmt.analysis.dependencies import dependency_graph
from statefmt.analysis.providers import provider_use
from statefmt.analysis.statistics import statistics
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.library.state import State
from statefmt.lint.checked import CheckedState
from statefmt.model.findings import Severity
from statefmt.model.snapshot import Snapshot
from statefmt.redaction.object_value import hides_output, with_secrets
from statefmt.render.encryption.text import encryption_text
from statefmt.render.report._dependencies import graph_data, overview
from statefmt.render.report._environment import page
from statefmt.render.report._findings import found_groups
from statefmt.render.report._outputs import shown_outputs
from statefmt.render.report._providers import provider_map
from statefmt.render.report._resources import listed_resources
from statefmt.render.report._room import HEIGHT, WIDTH, areas
from statefmt.render.stats.text import written_by
from statefmt.render.terminal import Terminal
from statefmt.store.reading import display_name

_SECTIONS: Final = (
    ("totals", "Totals"),
    ("findings", "Findings"),
    ("providers", "Providers"),
    ("sizes", "Sizes"),
    ("dependencies", "Dependencies"),
    ("resources", "Resources"),
    ("outputs", "Outputs"),
    ("encryption", "Encryption"),
)


def state_page(state: State, checked: Sequence[CheckedState], made: datetime) -> bytes:
    """Render the report on a state in HTML, given what `check` found and the time of the report.

    It shows no attributes, and hides sensitive outputs and what looks like a secret in others.
    """
    snapshot = state.snapshot
    found = statistics(snapshot)
    graph = dependency_graph(snapshot)
    severities = Counter(finding.severity for part in checked for finding in part.findings)
    return page(
        "state.html",
        display_name(state.location),
        made,
        {
            "state": state,
            "written_by": written_by(state) or "unknown",
            "is_old": state.version != CURRENT_VERSION,
            "found": found,
            "severities": {severity.value: severities[severity] for severity in Severity},
            "findings": found_groups(checked),
            "known": sum(part.hidden for part in checked),
            "sections": _SECTIONS,
            "providers": provider_map(provider_use(snapshot)),
            "areas": areas(found.instances),
            "room": (WIDTH, HEIGHT),
            "largest": found.instances[:20],
            "overview": overview(graph),
            "graph": graph_data(graph),
            "places": {name: place for place, name in enumerate(graph.nodes)},
            "has_edges": any(graph.edges.values()),
            "resources": listed_resources(snapshot, graph, found.instances),
            "outputs": shown_outputs(snapshot.outputs),
            "encryption": _encryption(state),
            "sensitive_outputs": sum(map(hides_output, snapshot.outputs)),
            "sensitive_objects": _sensitive_objects(snapshot),
        },
    )


def _encryption(state: State) -> str:
    """Return how the state is encrypted; "" if it is not."""
    opened = state.encryption
    return "" if opened is None else encryption_text(display_name(state.location), opened.envelope, opened, Terminal())


def _sensitive_objects(snapshot: Snapshot) -> int:
    """Return the number of objects with attributes that are sensitive, marked or not."""
    objects = [(obj, resource.addr.resource.type) for resource in snapshot.resources for obj in resource.objects]
    secret = set(with_secrets(objects))
    return sum(place in secret or obj.sensitive_attributes != b"[]" for place, (obj, _) in enumerate(objects))
