"""Finds write-only attributes, whose values must never come back from a provider or reach a state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from statefmt.golang import quote
from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.formatted_path import formatted_path
from statefmt.lifecycle.schemas._walk import walk_block
from statefmt.lifecycle.schemas.block import SchemaAttribute, SchemaBlock
from statefmt.model.cty import CtyValue, Path
from statefmt.model.cty.parts import is_known, is_null, is_wholly_known, unknown, unmarked_deep
from statefmt.model.cty.path_marks import steps
from statefmt.model.cty.path_tree import PathTree
from statefmt.model.cty.types import SetType


@refuses_depth
def write_only_paths(block: SchemaBlock, value: CtyValue) -> tuple[Path, ...]:
    """Return the paths of write-only attributes in a value of the block, whether they are null or not.

    A value that is null or unknown has none. Raises CtyValueError if the value is nested too deeply. Source: OpenTofu
    `Block.WriteOnlyPaths`.
    """
    found = walk_block(
        block,
        unmarked_deep(value),
        (),
        lambda part: isinstance(part, SchemaAttribute) and part.write_only,
        of_null=False,
    )
    return tuple(path for path, _ in found)


@refuses_depth
def write_only_values(block: SchemaBlock, value: CtyValue) -> tuple[Path, ...]:
    """Return the paths of write-only attributes that are not null, as they must be in plans and states.

    Raises CtyValueError if the value is nested too deeply. Source: OpenTofu `validation.WriteOnlyAttributes`.
    """
    return values_at(value, write_only_paths(block, value))


@refuses_depth
def values_at(value: CtyValue, paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return those of the paths that lead to something other than null; also all below what is unknown.

    Raises CtyValueError if the value is nested too deeply.
    """
    return tuple(_not_null(unmarked_deep(value), PathTree((path, path) for path in paths)))


def _not_null(value: CtyValue, tree: PathTree[Path]) -> Iterator[Path]:
    if is_null(value):
        return
    if not is_known(value):
        yield from tree.everything()
        return
    yield from tree.found
    for step, part in steps(value):
        below = tree.child(step)
        if below is not None:
            # go-cty does not find elements of sets with unknown parts again, and takes them for unknown.
            lost = isinstance(value.type, SetType) and not is_wholly_known(part)
            yield from _not_null(unknown(part.type) if lost else part, below)


def write_only_diagnostics(type_name: str, paths: Sequence[Path]) -> tuple[str, ...]:
    """Return OpenTofu's diagnostics, summary and detail, for a provider that gives values of write-only attributes.

    `paths` are those of write_only_values(), `type_name` is the type of the resource.
    """
    return tuple(
        f"Invalid provider response\nResource type {quote(type_name)} returned an actual value for the write-only"
        f" attribute {quote(formatted_path(path))} while it is meant to be nil."
        " This is an issue in the provider SDK."
        for path in paths
    )
