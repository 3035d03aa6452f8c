"""tree-sitter's view of a file in HCL's native syntax; the one place that imports it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# Nodes that stand anywhere and mean nothing.
COMMENT = "comment"


@cache
def _parser() -> Parser:
    import tree_sitter_hcl
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_hcl.language()))


def parse(content: bytes) -> Node:
    """The root node. Every text has one; what cannot be read is in nodes that are errors or missing."""
    return _parser().parse(content).root_node


def parts(node: Node) -> list[Node]:
    """The children of a node without the comments between them."""
    return [child for child in node.children if child.type != COMMENT]
