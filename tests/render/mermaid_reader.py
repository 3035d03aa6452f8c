"""A strict reader of the Mermaid that statetool writes, line by line: whatever else there is is an error.

Source: https://mermaid.js.org/syntax/flowchart.html (nodes, subgraphs, links, entity codes, classes).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LABEL = r'"((?:[^"#&;<>`\\\n]|#[0-9]+;|<br/>)*)"'
_NODE = re.compile(rf"(n[0-9]+)(?:\[{_LABEL}\]|\({_LABEL}\))")
_SUBGRAPH = re.compile(rf"subgraph (m[0-9]+)\[{_LABEL}\]")
_LINK = re.compile(r"(n[0-9]+) --> (n[0-9]+)")
_CLASS = re.compile(r"class (n[0-9]+(?:,n[0-9]+)*) (missing|focus)")
_CLASS_DEFINITION = re.compile(r"classDef (missing|focus) [a-z0-9:,-]+")


@dataclass
class Chart:
    """What a flowchart says: the text of each node, the subgraphs around it, links, and nodes by class."""

    nodes: dict[str, str] = field(default_factory=dict)
    subgraphs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    links: list[tuple[str, str]] = field(default_factory=list)
    classes: dict[str, list[str]] = field(default_factory=dict)


def read_mermaid(text: str) -> Chart:
    """What a flowchart says, with texts in place of its identifiers. Raises AssertionError for what is not known."""
    head, *lines = text.splitlines()
    assert head == "flowchart RL"
    chart, names, around, seen = Chart(), dict[str, str](), list[str](), set[str]()
    for line in map(str.strip, lines):
        if match := _NODE.fullmatch(line):
            assert match[1] not in names
            names[match[1]] = match[1]
            chart.nodes[match[1]] = shown(match[2] or match[3] or "")
            chart.subgraphs[match[1]] = tuple(around)
        elif match := _SUBGRAPH.fullmatch(line):
            assert match[1] not in seen
            seen.add(match[1])
            around.append(shown(match[2]))
        elif line == "end":
            around.pop()
        elif match := _LINK.fullmatch(line):
            chart.links.append((names[match[1]], names[match[2]]))
        elif match := _CLASS.fullmatch(line):
            chart.classes[match[2]] = [names[name] for name in match[1].split(",")]
        else:
            assert _CLASS_DEFINITION.fullmatch(line), line
    assert around == []
    return chart


def shown(label: str) -> str:
    """What Mermaid draws for a label."""
    return re.sub(r"#([0-9]+);", lambda match: chr(int(match[1])), label.replace("<br/>", "\n"))
