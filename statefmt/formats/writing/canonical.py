"""Writes the canonical text of a snapshot: OpenTofu's form, byte for byte."""

from __future__ import annotations

from statefmt.formats.style import INDENTED, Layout, Style
from statefmt.formats.writing.tree import Tree, TreeBuilder, encode_tree
from statefmt.golang import compact, escape_html, indent
from statefmt.model.snapshot import Snapshot


def canonical(snapshot: Snapshot, style: Style = INDENTED, *, keep_unknown: bool = False) -> bytes:
    """Return the canonical text of a snapshot, in one of the styles that OpenTofu writes.

    `keep_unknown` keeps what statetool does not know; OpenTofu would drop it.
    """
    return laid_out(TreeBuilder(keep_unknown=keep_unknown).snapshot(snapshot), style) + b"\n" * style.newlines


def laid_out(tree: Tree, style: Style) -> bytes:
    """Return the canonical text of a tree, without the newlines at the end of a file."""
    text = escape_html(encode_tree(tree))
    return indent(text) if style.layout is Layout.INDENT else compact(text)
