"""Finds the parts of a value that its schema marks as sensitive or deprecated. Source: OpenTofu `Block.ValueMarks`."""

from __future__ import annotations

from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.schemas._walk import SchemaPart, walk_block
from statefmt.lifecycle.schemas.block import SchemaBlock
from statefmt.model.cty import CtyValue
from statefmt.model.cty.parts import unmarked_deep
from statefmt.model.cty.path_marks import PathMarks


@refuses_depth
def value_marks(block: SchemaBlock, value: CtyValue, *, deprecations: bool = False) -> tuple[PathMarks, ...]:
    """Return the paths into a value of a block that the schema marks as `sensitive`, each once.

    With `deprecations`, what is deprecated is marked as `deprecated`, too. The root block of an ephemeral resource
    is `ephemeral`. Attributes of the value are marked even if they are null. The value has the implied type; its own
    marks do not matter. Raises CtyValueError if it is nested too deeply.

    A map of blocks is an object if it has dynamic attributes. Its blocks have paths by key all the same, which lead
    nowhere in an object: OpenTofu does not hide what is sensitive there.
    """

    def own(part: SchemaPart) -> frozenset[str]:
        return _marks(part, deprecations)

    found = walk_block(block, unmarked_deep(value), (), lambda part: bool(own(part)), of_null=True)
    return tuple(PathMarks(path, own(part)) for path, part in found)


def _marks(part: SchemaPart, deprecations: bool) -> frozenset[str]:
    found = ("deprecated",) if deprecations and part.deprecated else ()
    if isinstance(part, SchemaBlock):
        return frozenset((*found, "ephemeral")) if part.ephemeral else frozenset(found)
    return frozenset((*found, "sensitive")) if part.sensitive else frozenset(found)
