"""Shows which parts of a value are sensitive, as plans and states in JSON do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from statefmt.lifecycle.depth import refuses_depth
from statefmt.model.cty import CtyValue, Path
from statefmt.model.cty.parts import is_null, marks
from statefmt.model.cty.path_marks import steps
from statefmt.model.cty.path_tree import PathTree
from statefmt.model.cty.types import DynamicType, MapType, ObjectType, PrimitiveType
from statefmt.redaction.path_text import step_key

SensitiveShape: TypeAlias = "bool | list[SensitiveShape] | dict[str, SensitiveShape]"


@refuses_depth
def sensitive_json(value: CtyValue, sensitive: Iterable[Path] = ()) -> SensitiveShape:
    """Return the shape of a value with true for each sensitive part: what has the mark, or a path of `sensitive`.

    Parts that are not sensitive are left out of objects and maps, and are false in sequences. An unknown or empty
    sequence is `[]`, an unknown or empty object `{}`. Raises CtyValueError if the value is nested too deeply. Source:
    OpenTofu `jsonstate.SensitiveAsBoolWithPathValueMarks`.
    """
    return _shape(value, PathTree((path, True) for path in sensitive))


def _shape(value: CtyValue, tree: PathTree[bool] | None) -> SensitiveShape:
    if "sensitive" in marks(value) or (tree is not None and tree.found):
        return True
    if is_null(value) or isinstance(value.type, (PrimitiveType, DynamicType)):
        return False
    parts = [(step, _shape(part, None if tree is None else tree.child(step))) for step, part in steps(value)]
    if isinstance(value.type, (MapType, ObjectType)):
        return {str(step_key(step)): shape for step, shape in parts if shape is not False}
    return [shape for _, shape in parts]
