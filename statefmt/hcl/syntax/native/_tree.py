"""tree-sitter's view of a file in HCL's native syntax; the one place that imports it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_EXPONENT: Final = re.compile(rb"(?<![\w.])[0-9]+[eE][+-]?[0-9]+(?![\w.])")
# Nodes that stand anywhere and mean nothing.
COMMENT: Final = "comment"


@cache
def _parser() -> Parser:
    import tree_sitter_hcl
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_hcl.language()))


def parse(content: bytes) -> Node:
    """The root node. Every text has one; what cannot be read is in nodes that are errors or missing.

    The nodes have places, and no text: that of `1e3`, a number that tree-sitter's grammar does not know, is replaced
    by as many digits before it is read.
    """
    return _parser().parse(_EXPONENT.sub(_digits, content)).root_node


def _digits(match: re.Match[bytes]) -> bytes:
    return b"0" * len(match[0])


def parts(node: Node) -> list[Node]:
    """The children of a node without the comments between them."""
    return [child for child in node.children if child.type != COMMENT]
