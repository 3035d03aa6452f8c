"""Parses HCL's native syntax with tree-sitter; the only module that imports it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_EXPONENT: Final = re.compile(rb"(?<![\w.])[0-9]+[eE][+-]?[0-9]+(?![\w.])")
# Nodes that may appear anywhere and have no meaning.
COMMENT: Final = "comment"


@cache
def _parser() -> Parser:
    import tree_sitter_hcl
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_hcl.language()))


def parse(content: bytes) -> Node:
    """Parse a file and return the root node; unreadable parts are error nodes or missing nodes.

    Use the positions of the nodes, not their text: tree-sitter's grammar does not know numbers like `1e3`, so they are
    replaced by as many digits before parsing.
    """
    return _parser().parse(_EXPONENT.sub(_digits, content)).root_node


def _digits(match: re.Match[bytes]) -> bytes:
    return b"0" * len(match[0])


def parts(node: Node) -> list[Node]:
    """Return the children of a node without comments."""
    return [child for child in node.children if child.type != COMMENT]
