"""Encodes parts of a snapshot as compact JSON, so that equal content compares equal in any layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from statefmt.formats.writing.tree import Tree, TreeBuilder, encode_tree
from statefmt.golang import compact, escape_html
from statefmt.model.check_results import CheckResult
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceInstanceObject, UnknownMember
from statefmt.model.snapshot import Snapshot

_TREES: Final = TreeBuilder(keep_unknown=True)


def object_texts(obj: ResourceInstanceObject) -> dict[str, bytes]:
    """Return the members of an instance object, apart from its provider."""
    return _members(_TREES.object(obj, {}))


def envelope_texts(snapshot: Snapshot) -> dict[str, bytes]:
    """Return the header members of the state, and members unknown to statetool."""
    return _members(_TREES.envelope(snapshot)) | unknown_texts(snapshot.unknown)


def unknown_texts(members: Iterable[UnknownMember]) -> dict[str, bytes]:
    """Return members unknown to statetool, by name."""
    return {name: _text(raw) for name, raw, _ in members}


def output_text(output: OutputValue | None) -> bytes:
    """Return an output value without its name; empty for None."""
    return b"" if output is None else _text(_TREES.output(output))


def check_results_text(results: tuple[CheckResult, ...]) -> bytes:
    """Return all check results."""
    return _text(_TREES.check_results(results))


def _members(tree: Mapping[str, Tree]) -> dict[str, bytes]:
    return {name: _text(member) for name, member in tree.items()}


def _text(tree: Tree) -> bytes:
    return escape_html(compact(encode_tree(tree)))
