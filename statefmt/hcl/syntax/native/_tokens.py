"""Words and signs that tree-sitter's grammar takes, and HCL's scanner takes otherwise.

Source: HCL `hclsyntax/scan_tokens.rl`. A file is looked through only where it has something of the kind at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from statefmt.hcl.source.position import SourceText
from statefmt.hcl.source.problem import Problem, ProblemKind, error

if TYPE_CHECKING:
    from tree_sitter import Node

_SUSPECT: Final = re.compile(
    rb"\b[0-9]+[xX]|\.\s*[0-9]+\s*\.\s*[0-9]|::|<<-?(?:[^\w-]|[^\s\x80-\xff]*[^\w\s\x80-\xff-]|[^\s]*[^\S\r\n])"
)
_OPENING: Final = re.compile(rb"<<-?[\w\x80-\xff][\w\x80-\xff-]*\r?\n")
_NUMBER: Final = re.compile(rb"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def too_kind(source: SourceText, root: Node) -> Iterator[Problem]:
    """Problems of a text that tree-sitter finds in order."""
    if _SUSPECT.search(source.content) is None:
        return
    waiting = [root]
    while waiting:
        node = waiting.pop()
        found = _wrong(source, node)
        if found is not None:
            start, stop = found[1], found[2]
            yield error(ProblemKind.SYNTAX, *found[0], source.range(start, stop))
        else:
            waiting += reversed(node.children)


def _wrong(source: SourceText, node: Node) -> tuple[tuple[str, str], int, int] | None:
    """Summary and detail, and from where to where."""
    content = source.content
    match node.type:
        case "numeric_lit" if not _NUMBER.fullmatch(content, node.start_byte, node.end_byte):
            said = (
                "Missing newline after argument",
                "A number has decimal digits only; what follows is no part of it.",
            )
        case "index" if _follows_legacy_index(node):
            detail = "Chaining two indexes of the old syntax is not permitted. Use the proper index syntax, [0]."
            said = ("Invalid legacy index syntax", detail)
        case "variable_expr" if b"::" in content[node.start_byte : node.end_byte]:
            said = ("Missing open parenthesis", "Only the name of a function that is called has two colons.")
        case "heredoc_template" if not _OPENING.match(content, node.start_byte):
            detail = "The marker of a heredoc follows its sign at once, and is the last thing on its line."
            said = ("Invalid expression", detail)
        case _:
            return None
    return said, node.start_byte, node.end_byte


def _follows_legacy_index(node: Node) -> bool:
    before = node.prev_sibling
    if before is None or not _is_legacy(node):
        return False
    # `1.0.0` is an index into a number.
    return before.type == "literal_value" or (before.type == "index" and _is_legacy(before))


def _is_legacy(node: Node) -> bool:
    return bool(node.children) and node.children[0].type == "legacy_index"
