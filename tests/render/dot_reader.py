"""A strict reader of the DOT that statetool writes: whatever is not in its small grammar is an error.

    graph     = "digraph" NAME "{" statement* "}"
    statement = NAME "=" value | "node" attributes | subgraph | string "->" string | string attributes
    subgraph  = "subgraph" string "{" statement* "}"

Source: https://graphviz.org/doc/info/lang.html, of which this is a part; in strings only `\\"` is an escape to the
language, and in labels `\\\\` and `\\n`, too.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\\n]|\\.)*")|([A-Za-z_]\w*|[0-9]+)|(->|[{}\[\]=,]))')


@dataclass
class Picture:
    """What a DOT text says: labels and attributes by node, the clusters around each, and the edges in order."""

    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    clusters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            assert match is not None, text[position : position + 40]
            self.tokens.append(match[0].strip())
            position = match.end()
        self.tokens.reverse()
        self.picture = Picture()

    def take(self, *expected: str) -> str:
        token = self.tokens.pop()
        assert not expected or token in expected, (token, expected)
        return token

    def string(self) -> str:
        """A string as a name: `\\"` is a quotation mark, all else stands for itself."""
        token = self.take()
        assert token.startswith('"'), token
        return token[1:-1].replace('\\"', '"')

    def statements(self, around: tuple[str, ...]) -> None:
        while self.tokens[-1] != "}":
            if self.tokens[-1] == "subgraph":
                self.subgraph(around)
            elif self.tokens[-1].startswith('"'):
                self.node_or_edge(around)
            elif self.take() == "node":
                self.attributes()
            else:
                self.take("=")
                self.string()
        self.take("}")

    def subgraph(self, around: tuple[str, ...]) -> None:
        self.take("subgraph")
        assert self.string().startswith("cluster")
        self.take("{")
        self.take("label")
        self.take("=")
        self.statements((*around, shown(self.string())))

    def node_or_edge(self, around: tuple[str, ...]) -> None:
        name = self.string()
        if self.tokens[-1] == "->":
            self.take()
            target = self.string()
            assert {name, target} <= self.picture.nodes.keys()
            self.picture.edges.append((name, target))
            return
        assert name not in self.picture.nodes
        self.picture.nodes[name] = self.attributes()
        self.picture.clusters[name] = around

    def attributes(self) -> dict[str, str]:
        found = {}
        self.take("[")
        while True:
            name = self.take()
            self.take("=")
            found[name] = self.string() if self.tokens[-1].startswith('"') else self.take()
            if self.take(",", "]") == "]":
                return found


def shown(label: str) -> str:
    """What Graphviz draws for a label."""
    text = re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), label)
    assert not re.search(r"\\[^n\\]", label.replace("\\\\", "")), label
    return html.unescape(text)


def read_dot(text: str) -> Picture:
    """What a DOT text says. Raises AssertionError where it is not in the grammar."""
    reader = _Reader(text)
    reader.take("digraph")
    reader.take()
    reader.take("{")
    reader.statements(())
    assert reader.tokens == []
    return reader.picture
