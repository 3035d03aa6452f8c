"""Finds tokens that tree-sitter's grammar accepts and HCL's scanner reads differently.

Source: HCL `hclsyntax/scan_tokens.rl`. The tree is searched only if a regular expression finds a candidate.
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
    """Yield problems of a file that tree-sitter accepts."""
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
    """Return (summary, detail), start and stop of the problem of one node, None if there is none."""
    content = source.content
    match node.type:
        case "numeric_lit" if not _NUMBER.fullmatch(content, node.start_byte, node.end_byte):
            said = (
                "Missing newline after argument",
                "Numbers have only decimal digits; the rest is not part of the number.",
            )
        case "index" if _follows_legacy_index(node):
            detail = "Chaining two indexes in the legacy syntax is not permitted. Use the proper index syntax, [0]."
            said = ("Invalid legacy index syntax", detail)
        case "variable_expr" if b"::" in content[node.start_byte : node.end_byte]:
            said = ("Missing open parenthesis", "Two colons are allowed only in the name of a function in a call.")
        case "heredoc_template" if not _OPENING.match(content, node.start_byte):
            detail = "The heredoc marker must directly follow << or <<- and end the line."
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
