"""Draws the parts of a divided state, with an arrow from each part to the parts that it needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from statefmt.analysis.partition import Partition, PartitionPart
from statefmt.render.counted import counted
from statefmt.render.graph.dot import dot_label, dot_quoted
from statefmt.render.graph.mermaid import mermaid_label


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
    """Yield a part, one that it needs, and the outputs that it needs of it."""
    outputs = Counter((user, one.part) for one in partition.needed for user in one.needed_by)
    by_name = {part.name: part for part in partition.parts}
    for part in partition.parts:
        for name in part.needs:
            yield part, by_name[name], counted(outputs[part.name, name], "output")
