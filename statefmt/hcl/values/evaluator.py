"""The evaluation as loops, conditionals and calls use it."""

from __future__ import annotations

from typing import Protocol

from statefmt.hcl.syntax.expressions import Expression, SplatItem
from statefmt.hcl.value import Part
from statefmt.hcl.values.names import Names


class Evaluator(Protocol):
    """An evaluator of expressions in one scope."""

    @property
    def names(self) -> Names: ...

    def with_names(self, bound: dict[str, Part]) -> Evaluator: ...

    def with_item(self, item: SplatItem, part: Part) -> Evaluator: ...

    def elsewhere(self, expression: Expression, names: Names) -> Part: ...

    def value(self, expression: Expression) -> Part: ...
