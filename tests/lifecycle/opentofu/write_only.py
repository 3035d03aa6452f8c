"""Finds values of write-only attributes, and deprecated attributes."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.golang import quote
from statefmt.lifecycle.schema import NestedAttributes, SchemaBlock, refuses_depth
from statefmt.lifecycle.schema_marks import contains, values_at, write_only_paths
from statefmt.lifecycle.stored import formatted_path
from statefmt.model.cty.data import CtyValue, Path


@refuses_depth
def write_only_values(block: SchemaBlock, value: CtyValue) -> tuple[Path, ...]:
    """Return the paths of write-only attributes that are not null, as they must be in plans and states.

    Raises CtyValueError if the value is nested too deeply. Source: OpenTofu `validation.WriteOnlyAttributes`.
    """
    return values_at(value, write_only_paths(block, value))


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


@refuses_depth
def contains_deprecated(schema: SchemaBlock | NestedAttributes) -> bool:
    """Return whether an attribute at any depth is deprecated; blocks do not count."""
    return contains(schema, lambda attribute: attribute.deprecated)
