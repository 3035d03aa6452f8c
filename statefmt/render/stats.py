"""Prints the statistics of a state, as tables with bars and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from statefmt.analysis.providers import short_names
from statefmt.analysis.statistics import Counts, LargeInstance, Statistics
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.library.state import State
from statefmt.render.json_output import document
from statefmt.render.table import table
from statefmt.render.terminal import ROOT, Terminal, counted, size_text
from statefmt.store.reading import display_name
from statefmt.text import printable

_MOST_GROUPS: Final = 10
_BAR: Final = 20
_SHORTEST_BAR: Final = 4
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


class Shown(NamedTuple):
    """The parts to show: all groups or the first ten, modules, the number of largest instances, and bars."""

    everything: bool
    modules: bool
    top: int
    bars: bool


def stats_text(state: State, found: Statistics, shown: Shown, terminal: Terminal) -> str:
    """Render the envelope, then the groups by provider instance, type and module, then the largest instances."""
    whole = _denominator(state, found)
    names = short_names([provider for provider in found.provider_instances if provider is not None])
    providers = {
        "(no provider)" if provider is None else printable(names[provider]): counts
        for provider, counts in found.provider_instances.items()
    }
    modules = {printable(name) or ROOT: counts for name, counts in found.modules.items()}
    parts = [_envelope(state, found, whole, terminal)]
    for title, groups in (("provider", providers), ("type", found.types), ("module", modules if shown.modules else {})):
        if groups:
            parts.append(_groups_text(title, groups, whole, shown, terminal))
    if found.instances and shown.top:
        parts.append(_largest(found.instances[: shown.top], whole, terminal))
    return "\n\n".join(parts)


def written_by(state: State) -> str | None:
    """Return the release that wrote a state; None if it is missing, as an upgrade then writes 0.0.0."""
    release = state.snapshot.terraform_version
    is_told = release != "0.0.0" or state.version == CURRENT_VERSION
    return release if release and is_told else None


def _denominator(state: State, found: Statistics) -> int:
    """Return the number of bytes for 100 %: of the file, or of all objects if they had to be upgraded."""
    return len(state.data) if state.version == CURRENT_VERSION else found.total.bytes


def _envelope(state: State, found: Statistics, whole: int, terminal: Terminal) -> str:
    snapshot, total = state.snapshot, found.total
    kinds = ((found.deposed, "deposed"), (found.tainted, "tainted"))
    odd = ", ".join(f"{number:,} {kind}" for number, kind in kinds if number)
    taken = f"{size_text(total.dependency_bytes)}, {_share(total.dependency_bytes, whole)}"
    lines = [
        ("format version", str(state.version)),
        ("release", written_by(state) or "unknown"),
        ("serial", str(snapshot.serial)),
        ("lineage", printable(snapshot.lineage) or "none"),
        ("size", counted(len(state.data), "byte")),
        ("resources", f"{total.resources:,}" + (f" ({found.data_resources:,} data)" if found.data_resources else "")),
        ("instances", f"{total.instances:,}"),
        ("objects", f"{total.objects:,}" + (f" ({odd})" if odd else "")),
        ("dependencies", f"{found.dependencies:,} ({taken})" if found.dependencies else "0"),
        ("outputs", f"{found.outputs:,}"),
    ]
    if state.version != CURRENT_VERSION:
        lines.append(("sizes below", "of the objects in format 4, on one line"))
    head = terminal.paint(printable(display_name(state.location)), "bold")
    return "\n".join([head, *(f"  {name:<16}{text}" for name, text in lines)])


def _groups_text(title: str, groups: Mapping[str, Counts], whole: int, shown: Shown, terminal: Terminal) -> str:
    rows = list(groups.items())
    if not shown.everything and len(rows) > _MOST_GROUPS + 1:
        rest = Counts()
        for _, counts in rows[_MOST_GROUPS:]:
            rest = rest.plus(counts)
        rows = [*rows[:_MOST_GROUPS], (f"({len(rows) - _MOST_GROUPS:,} more)", rest)]
    cells = [
        [
            printable(name),
            f"{counts.resources:,}",
            f"{counts.instances:,}",
            f"{counts.objects:,}",
            size_text(counts.bytes),
            _share(counts.bytes, whole),
        ]
        for name, counts in rows
    ]
    headings = [f"by {title}", "resources", "instances", "objects", "size", "share"]
    drawn = table(headings, cells, terminal, right=" rrrrr")
    if not shown.bars:
        return drawn
    return _with_bars(drawn, [counts.bytes / whole if whole else 0.0 for _, counts in rows], terminal)


def _with_bars(drawn: str, shares: list[float], terminal: Terminal) -> str:
    """Add a bar to the end of each line, if the terminal is wide enough."""
    heading, *lines = drawn.split("\n")
    room = min(_BAR, terminal.width - max(map(len, lines)) - 2)
    if room < _SHORTEST_BAR:
        return drawn
    longest = max(shares) or 1.0
    bars = [terminal.paint(bar(share / longest, room), "cyan") for share in shares]
    return "\n".join([heading, *(f"{line}  {drawn_bar}" for line, drawn_bar in zip(lines, bars, strict=True))])


def bar(share: float, width: int) -> str:
    """Draw a bar in eighths of a column; a `share` of 1.0 fills the width."""
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _largest(found: tuple[LargeInstance, ...], whole: int, terminal: Terminal) -> str:
    rows = [
        [
            size_text(instance.bytes),
            _share(instance.bytes, whole),
            _share(instance.dependency_bytes, instance.bytes),
            printable(str(instance.addr)),
        ]
        for instance in found
    ]
    return table(["size", "share", "dependencies", "largest instances"], rows, terminal, right="rrr ")


def _share(part: int, whole: int) -> str:
    return f"{part / whole if whole else 0.0:.1%}"


def stats_json(state: State, found: Statistics, top: int) -> bytes:
    """Render all groups and the `top` largest instances (schema: `stats-output.schema.json`)."""
    snapshot = state.snapshot
    return document(
        state={
            "version": state.version,
            "terraform_version": written_by(state),
            "serial": snapshot.serial,
            "lineage": snapshot.lineage,
            "bytes": len(state.data),
        },
        total={
            **_counts(found.total),
            "data_resources": found.data_resources,
            "deposed_objects": found.deposed,
            "tainted_objects": found.tainted,
            "dependencies": found.dependencies,
            "outputs": found.outputs,
        },
        provider_instances=[
            {"provider_instance": None if provider is None else str(provider), **_counts(counts)}
            for provider, counts in found.provider_instances.items()
        ],
        types=_groups_json("type", found.types),
        modules=_groups_json("module", found.modules),
        providers=_groups_json("provider", found.providers),
        largest_instances=[
            {"address": str(instance.addr), "bytes": instance.bytes, "dependency_bytes": instance.dependency_bytes}
            for instance in found.instances[:top]
        ],
    )


def _groups_json(member: str, groups: Mapping[str, Counts]) -> list[dict[str, object]]:
    return [{member: name, **_counts(counts)} for name, counts in groups.items()]


def _counts(counts: Counts) -> dict[str, object]:
    return counts._asdict()
