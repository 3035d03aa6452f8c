"""Parts of a snapshot as compact JSON text: equal text says the same, however the file is laid out."""

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
    """The members of an instance object, apart from its provider."""
    return _members(_TREES.object(obj, {}))


def envelope_texts(snapshot: Snapshot) -> dict[str, bytes]:
    """The members of the document that stand alone, and those that statetool does not know."""
    return _members(_TREES.envelope(snapshot)) | unknown_texts(snapshot.unknown)


def unknown_texts(members: Iterable[UnknownMember]) -> dict[str, bytes]:
    """Members that statetool does not know, by name."""
    return {name: _text(raw) for name, raw, _ in members}


def output_text(output: OutputValue | None) -> bytes:
    """An output value, without its name; empty for none."""
    return b"" if output is None else _text(_TREES.output(output))


def check_results_text(results: tuple[CheckResult, ...]) -> bytes:
    """All check results."""
    return _text(_TREES.check_results(results))


def _members(tree: Mapping[str, Tree]) -> dict[str, bytes]:
    return {name: _text(member) for name, member in tree.items()}


def _text(tree: Tree) -> bytes:
    return escape_html(compact(encode_tree(tree)))
