"""Renders the HTML reports on one state, and on the differences between two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from statefmt.analysis.dependencies import DependencyGraph, Node, dependency_graph, edges_down, edges_up
from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.analysis.providers import (
    ConfigurationUse,
    ProviderInstanceUse,
    by_resource,
    provider_use,
    short_form,
    short_names,
)
from statefmt.analysis.statistics import LargeInstance, statistics
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.library.state import State
from statefmt.lint.checked import CheckedState, Group, grouped
from statefmt.lint.registry import all_rules
from statefmt.model.addrs import AbsProviderInstance, AbsResource
from statefmt.model.findings import Command, Fix, Severity
from statefmt.model.snapshot import InstanceState, ObjectStatus, OutputValue, Snapshot, instances
from statefmt.redaction.object_value import hides_output, output_value, with_secrets
from statefmt.render.check import place_text
from statefmt.render.diff import ADDED, CHANGED, MOVED, NOTHING, REMOVED, Item, Manner, followed_text, summary
from statefmt.render.diff.reports import sections
from statefmt.render.encryption import encryption_text
from statefmt.render.findings import fix_text, message
from statefmt.render.report import HEIGHT, WIDTH, Drawing, areas, drawn, page
from statefmt.render.stats import written_by
from statefmt.render.terminal import ROOT, Terminal
from statefmt.render.values import output_type_text, partial_text
from statefmt.store.reading import display_name
from statefmt.text import printable

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


# Values for a template, by name.
_Row: TypeAlias = dict[str, object]


def state_page(state: State, checked: Sequence[CheckedState], made: datetime) -> bytes:
    """Render the report on a state in HTML, given the findings of `check` and the time of the report.

    It shows no attributes, and hides sensitive outputs and likely secrets in others.
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
            "findings": _found_groups(checked),
            "known": sum(part.hidden for part in checked),
            "sections": _SECTIONS,
            "providers": _provider_map(provider_use(snapshot)),
            "areas": areas(found.instances),
            "room": (WIDTH, HEIGHT),
            "largest": found.instances[:20],
            "overview": overview(graph),
            "graph": _graph_data(graph),
            "places": {name: place for place, name in enumerate(graph.nodes)},
            "has_edges": any(graph.edges.values()),
            "resources": _listed_resources(snapshot, graph, found.instances),
            "outputs": [_output(output) for output in sorted(snapshot.outputs, key=lambda output: output.name)],
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


_KINDS: Final = {ADDED: "added", REMOVED: "removed", CHANGED: "changed", MOVED: "moved"}
_WIDTH: Final = 240
# With more items, all are closed at first.
_MOST_OPEN: Final = 100


class DiffGroup(NamedTuple):
    """Items under one heading, and its anchor."""

    place: str
    title: str
    items: Sequence[Item]


def diff_page(changes: SnapshotDiff, manner: Manner, old: State, new: State, made: datetime) -> bytes:
    """Render a comparison in HTML; shows the same values as diff_text()."""
    names = [display_name(state.location) for state in (old, new)]
    groups = [
        DiffGroup(title.lower().replace(" ", "-"), title, items)
        for title, items in sections(changes, replace(manner, width=_WIDTH))
    ]
    return page(
        "diff.html",
        " → ".join(names),
        made,
        {
            "old": {"name": names[0], "serial": old.serial},
            "new": {"name": names[1], "serial": new.serial},
            "summary": summary(changes) if changes else f"{NOTHING[:1].upper()}{NOTHING[1:]}.",
            "followed": followed_text(changes) if changes.followed else "",
            "lineages": bool(old.lineage and new.lineage and old.lineage != new.lineage),
            "show_sensitive": manner.show_sensitive,
            "groups": groups,
            "sections": [("summary", "Summary"), *((group.place, group.title) for group in groups)],
            "kinds": _KINDS,
            "opens": sum(len(group.items) for group in groups) <= _MOST_OPEN,
        },
    )


_MOST_FINDINGS: Final = 100


def _found_groups(checked: Sequence[CheckedState]) -> list[_Row]:
    """Group the findings about a state and its configuration or plan, the most severe first."""
    groups = [(state, group) for state in checked for group in grouped(state.findings, state.short_selectors)]
    groups.sort(key=lambda pair: -pair[1].findings[0].severity.rank)
    return [_group(state, group) for state, group in groups]


def _group(state: CheckedState, group: Group) -> _Row:
    """Return findings with one cause: some of them, and the number of the rest."""
    first = group.findings[0]
    rule = all_rules().get(first.code)
    way = next(filter(None, map(state.way, group.findings)), None)
    shown = group.findings[:_MOST_FINDINGS]
    return {
        "code": first.code,
        "severity": first.severity.value,
        "rule": first.summary if rule is None else rule.name,
        "number": len(group.findings),
        "shown": [
            {"address": finding.address, "place": place_text(state, finding), "message": message(finding)}
            for finding in shown
        ],
        "omitted": len(group.findings) - len(shown),
        "advice": [
            {"text": fix_text(Fix((part,))).strip("`"), "is_command": isinstance(part, Command)}
            for part in group.fix.advice
        ],
        "snippet": group.fix.snippet,
        "option": "" if way is None else way.options,
    }


_MOST_INSTANCES: Final = 100
_MOST_PROVIDERS: Final = 5
_MOST_DEPENDENCIES: Final = 20


def _listed_resources(snapshot: Snapshot, graph: DependencyGraph, sizes: Sequence[LargeInstance]) -> list[_Row]:
    """Return a row for each resource with objects, in the order of `list`."""
    found: dict[AbsResource, list[InstanceState]] = {}
    for instance in instances(snapshot):
        found.setdefault(instance.resource.addr, []).append(instance)
    taken: Counter[AbsResource] = Counter()
    for size in sizes:
        taken[size.addr.containing_resource()] += size.bytes
    providers = {
        provider
        for of in found.values()
        for instance in of
        for obj in instance.objects
        if (provider := instance.provider(obj)) is not None
    }
    names = short_names(providers)
    down, up = edges_down(graph), edges_up(graph)
    return [
        {
            "address": str(addr),
            "instances": _listed([str(one.key) for one in of if str(one.key)], _MOST_INSTANCES, len(of)),
            "providers": _listed(_providers(of, names), _MOST_PROVIDERS),
            "bytes": taken[addr],
            "depends_on": _listed(down[str(addr.config())], _MOST_DEPENDENCIES),
            "dependents": len(up[str(addr.config())]),
            "marks": _marks(of),
        }
        for addr, of in found.items()
    ]


def _listed(entries: Sequence[str], most: int, number: int | None = None) -> _Row:
    """Return the first entries of a list, the number of omitted ones, and the number of all."""
    number, first = len(entries) if number is None else number, entries[:most]
    return {"first": first, "omitted": number - len(first), "number": number}


def _providers(of: Sequence[InstanceState], names: Mapping[AbsProviderInstance, str]) -> list[str]:
    bound = {instance.provider(obj): None for instance in of for obj in instance.objects}
    return [names[provider] for provider in bound if provider is not None]


def _marks(of: Sequence[InstanceState]) -> list[str]:
    objects = [obj for instance in of for obj in instance.objects]
    tainted = any(obj.status is ObjectStatus.TAINTED for obj in objects)
    deposed = any(not obj.is_current for obj in objects)
    return [mark for mark, applies in (("tainted", tainted), ("deposed", deposed)) if applies]


_LONGEST: Final = 20_000


def _output(output: OutputValue) -> _Row:
    """Return an output with the beginning of its value, None if sensitive, and the number of omitted characters."""
    text = "" if output.sensitive else partial_text(output_value(output, show_sensitive=False))
    return {
        "name": output.name,
        "type": output_type_text(output, hidden=output.sensitive),
        "value": None if output.sensitive else text[:_LONGEST],
        "omitted": max(0, len(text) - _LONGEST),
        "deprecated": output.deprecated,
    }


_MOST_RESOURCES: Final = 50


def _provider_map(uses: Sequence[ConfigurationUse]) -> list[_Row]:
    """Return the configurations by source, module and alias; shares are of all objects, from 0 to 1."""
    whole = sum(len(instance.objects) for use in uses for instance in use.instances)
    return [
        {
            "name": short_form(use.config),
            "source": str(use.config.provider),
            "objects": sum(len(instance.objects) for instance in use.instances),
            "instances": [
                {
                    "name": short_form(use.config, instance.provider.key),
                    "objects": len(instance.objects),
                    "deposed": sum(bool(obj.deposed) for obj in instance.objects),
                    "share": len(instance.objects) / whole,
                    "modules": _modules(instance),
                }
                for instance in use.instances
            ],
        }
        for use in uses
    ]


def _modules(instance: ProviderInstanceUse) -> list[_Row]:
    """Return the modules with objects, each with resources and numbers of objects, and how many are omitted."""
    found: list[_Row] = []
    left = _MOST_RESOURCES
    for module, objects in instance.by_module().items():
        resources = [(str(resource), len(of)) for resource, of in by_resource(objects).items()]
        shown = resources[:left]
        left -= len(shown)
        omitted = len(resources) - len(shown)
        found.append({
            "name": str(module) or ROOT, "objects": len(objects), "resources": shown, "omitted": omitted,
        })  # fmt: skip
    return found


_MOST_NODES: Final = 80


class Overview(NamedTuple):
    """A drawing of a graph; `groups` names the kind of its nodes if they are not resources, else it is "".

    `omitted` counts the groups that are too many to be drawn, `apart` the nodes without edges.
    """

    drawing: Drawing
    groups: str
    omitted: int
    apart: int


def overview(graph: DependencyGraph) -> Overview:
    """Draw all resources, or if there are too many, modules, or if there is only one module, types.

    Omits dependencies that others imply.
    """
    edges = edges_down(graph)
    if len(graph.nodes) <= _MOST_NODES:
        return _overview({name: printable(name) for name in graph.nodes}, edges, "", 0)
    groups, found = "modules", _grouped(graph.nodes, edges, _module)
    if len(found) == 1:
        groups, found = "types", _grouped(graph.nodes, edges, lambda node: node.addr.resource.type)
    shown = dict(sorted(found.items(), key=lambda item: -len(item[1].resources))[:_MOST_NODES])
    labels = {name: f"{printable(name)} ({len(group.resources):,})" for name, group in shown.items()}
    kept = {name: [target for target in group.targets if target in shown] for name, group in shown.items()}
    return _overview(labels, kept, groups, len(found) - len(shown))


def _overview(labels: Mapping[str, str], edges: Mapping[str, Sequence[str]], groups: str, omitted: int) -> Overview:
    joined = {name for source, targets in edges.items() if targets for name in (source, *targets)}
    drawing = drawn(labels, {name: targets for name, targets in edges.items() if name in joined})
    return Overview(drawing, groups, omitted, len(labels) - len(joined))


def _graph_data(graph: DependencyGraph) -> _Row:
    """Return the whole graph for the page's script: addresses, and edges as pairs of indexes.

    Omits dependencies that others imply.
    """
    place = {name: number for number, name in enumerate(graph.nodes)}
    missing = [place[name] for name, node in graph.nodes.items() if node.is_missing]
    edges = [(place[source], place[target]) for source, targets in edges_down(graph).items() for target in targets]
    return {"names": [printable(name) for name in graph.nodes], "missing": missing, "edges": edges}


class _Group(NamedTuple):
    resources: list[str]
    targets: dict[str, None]


def _grouped(
    nodes: Mapping[str, Node], edges: Mapping[str, list[str]], group_of: Callable[[Node], str]
) -> dict[str, _Group]:
    of = {name: group_of(node) for name, node in nodes.items()}
    found: dict[str, _Group] = {}
    for name, group in of.items():
        into = found.setdefault(group, _Group([], {}))
        into.resources.append(name)
        into.targets.update((of[target], None) for target in edges[name] if of[target] != group)
    return found


def _module(node: Node) -> str:
    names = node.addr.module.names
    return f"module.{names[0]}" if names else ROOT
