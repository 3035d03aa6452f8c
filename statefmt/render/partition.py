"""Prints ways to divide a state: as tables, graphs of their parts, and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from statefmt.analysis.partition import NeededResource, Partition, PartitionPart, Suggestions
from statefmt.render.graph import dot_label, dot_quoted, mermaid_label
from statefmt.render.json_output import document
from statefmt.render.table import table
from statefmt.render.terminal import Terminal, counted
from statefmt.text import printable

# The maximum number of entries in each list.
_MOST: Final = 20
_MOST_CONTENTS: Final = 3


def partitions_text(found: Suggestions, chosen: Partition, terminal: Terminal) -> Iterator[str]:
    """Yield the table of partitions, then the parts of the selected one and the resources that other parts need."""
    rows = [_row(partition) for partition in found.partitions]
    headings = ("BY", "PARTS", "LARGEST", "OUTPUTS", "SECRETS", "APPLIES", "DIVIDED", "SCORE")
    yield table(headings, rows, terminal, right="lrrrrrrr")
    for kind, reason in found.without.items():
        yield f"No suggestion by {kind.value}: {printable(reason)}."
    yield ""
    yield terminal.paint(f"By {chosen.kind.value}:", "bold")
    parts = [_part(part) for part in chosen.parts]
    yield table(("PART", "INSTANCES", "NEEDS", "CONTENTS"), parts, terminal, right="lr")
    if chosen.needed:
        yield ""
        yield "Other parts need outputs for:"
        yield from (f"  {_needed(one)}" for one in chosen.needed[:_MOST])
        if len(chosen.needed) > _MOST:
            yield f"  and {counted(len(chosen.needed) - _MOST, 'more resource')}"
    if chosen.divided:
        yield ""
        yield "Modules with resources in several parts:"
        yield from (f"  {line}" for line in _few([printable(str(module)) for module in chosen.divided], _MOST))


def _row(partition: Partition) -> tuple[str, ...]:
    return (
        partition.kind.value,
        f"{len(partition.parts):,}",
        f"{partition.largest:.0%}",
        f"{partition.outputs:,}",
        f"{partition.secrets:,}",
        f"{partition.applies:,}",
        f"{len(partition.divided):,}",
        f"{partition.score:.1f}",
    )


def _part(part: PartitionPart) -> tuple[str, ...]:
    contents = ", ".join(_few([printable(one) for one in part.contents], _MOST_CONTENTS))
    return f"{part.name}{' (stays)' if part.stays else ''}", f"{part.instances:,}", ", ".join(part.needs), contents


def _needed(one: NeededResource) -> str:
    secret = " (has sensitive attributes)" if one.is_secret else ""
    return f"{printable(one.resource)} in {one.part}{secret}, for {', '.join(one.needed_by)}"


def _few(texts: Sequence[str], most: int) -> list[str]:
    return [*texts[:most], f"and {len(texts) - most:,} more"] if len(texts) > most else list(texts)


def partition_dot(partition: Partition) -> str:
    """Render the parts in Graphviz's DOT language."""
    lines = ["digraph parts {", '  rankdir = "RL"', '  node [shape = "box"]']
    for part in partition.parts:
        bold = ", penwidth = 3" if part.stays else ""
        lines.append(f"  {dot_quoted(part.name)} [label = {dot_label(*_lines(part))}{bold}]")
    for source, target, outputs in _arrows(partition):
        lines.append(f"  {dot_quoted(source.name)} -> {dot_quoted(target.name)} [label = {dot_label(outputs)}]")
    return "\n".join([*lines, "}"])


def partition_mermaid(partition: Partition) -> str:
    """Render the parts as a Mermaid flowchart."""
    ids = {part.name: f"p{number}" for number, part in enumerate(partition.parts)}
    lines = ["flowchart RL"]
    lines += [f"  {ids[part.name]}[{mermaid_label(*_lines(part))}]" for part in partition.parts]
    for source, target, outputs in _arrows(partition):
        lines.append(f"  {ids[source.name]} -->|{mermaid_label(outputs)}| {ids[target.name]}")
    return "\n".join(lines)


def _lines(part: PartitionPart) -> Iterator[str]:
    yield part.name
    yield counted(part.instances, "instance")


def _arrows(partition: Partition) -> Iterator[tuple[PartitionPart, PartitionPart, str]]:
    """Yield a part, a part that it needs, and the outputs that it needs from it."""
    outputs = Counter((user, one.part) for one in partition.needed for user in one.needed_by)
    by_name = {part.name: part for part in partition.parts}
    for part in partition.parts:
        for name in part.needs:
            yield part, by_name[name], counted(outputs[part.name, name], "output")


def partitions_json(found: Suggestions) -> bytes:
    """Render the partitions, best first (schema: `split-suggest-output.schema.json`)."""
    return document(
        suggestions=[_partition(partition) for partition in found.partitions],
        without=[{"by": kind.value, "reason": reason} for kind, reason in found.without.items()],
    )


def _partition(partition: Partition) -> dict[str, object]:
    return {
        "by": partition.kind.value,
        "score": round(partition.score, 3),
        "largest": round(partition.largest, 4),
        "outputs": partition.outputs,
        "secrets": partition.secrets,
        "applies": partition.applies,
        "divided": [str(module) for module in partition.divided],
        "parts": [
            {
                "name": part.name,
                "stays": part.stays,
                "level": part.level,
                "instances": part.instances,
                "needs": list(part.needs),
                "contents": list(part.contents),
            }
            for part in partition.parts
        ],
        "needed": [
            {"resource": one.resource, "part": one.part, "needed_by": list(one.needed_by), "secret": one.is_secret}
            for one in partition.needed
        ],
    }
