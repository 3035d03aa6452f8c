"""Checks whether bytes are the canonical text of a snapshot, without building the whole text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

from msgspec.structs import replace

from statefmt.formats.style import Layout, Style
from statefmt.formats.writing.canonical import canonical, laid_out
from statefmt.formats.writing.tree import Tree, TreeBuilder, encode_tree
from statefmt.model.addrs import resource_file_order
from statefmt.model.resources import ResourceState
from statefmt.model.snapshot import Snapshot

# Resources per call: enough to make a call cheap, few enough for the processor's cache.
_BATCH: Final = 8
# A placeholder for the resources in the surrounding text, with characters that no state has (private use).
_MARK: Final = "\ue000resources\ue000"


class _Brackets(NamedTuple):
    """The text around resources in an array two levels deep (first two), and around and between them in a state."""

    before: bytes
    after: bytes
    opening: bytes
    between: bytes
    closing: bytes


_BRACKETS: Final = {
    Layout.INDENT: _Brackets(b"[\n  [\n    ", b"\n  ]\n]", b"[\n    ", b",\n    ", b"\n  ]"),
    Layout.COMPACT: _Brackets(b"[[", b"]]", b"[", b",", b"]"),
}


def is_canonical(data: bytes, snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> bool:
    """Return whether `data` is what `canonical` returns; for large states in half the time and without the memory."""
    trees = TreeBuilder(keep_unknown=keep_unknown)
    around = {**trees.snapshot(replace(snapshot, resources=())), "resources": _MARK}
    parts = laid_out(around, style).split(encode_tree(_MARK))
    if len(parts) != 2:
        return canonical(snapshot, style, keep_unknown=keep_unknown) == data
    head, tail = parts
    end = len(data) - len(tail) - style.newlines
    if not data.startswith(head) or data[max(end, 0) :] != tail + b"\n" * style.newlines:
        return False
    if not snapshot.resources:
        return data[len(head) : end] == b"[]"
    return _resources_end(data, len(head), snapshot.resources, trees, style) == end


def _resources_end(
    data: bytes, start: int, resources: Sequence[ResourceState], trees: TreeBuilder, style: Style
) -> int:
    """Return the end of the canonical text of the resources at `start`; -1 if the text is different."""
    brackets = _BRACKETS[style.layout]
    position, lead = start, brackets.opening
    waiting = iter(sorted(resources, key=lambda resource: resource_file_order(resource.addr)))
    while batch := [trees.resource(resource) for resource in islice(waiting, _BATCH)]:
        wrapped: Tree = [batch]
        text = lead + laid_out(wrapped, style).removeprefix(brackets.before).removesuffix(brackets.after)
        if not data.startswith(text, position):
            return -1
        position += len(text)
        lead = brackets.between
    return position + len(brackets.closing) if data.startswith(brackets.closing, position) else -1
