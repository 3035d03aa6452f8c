"""Expressions that OpenTofu refuses: an exception during evaluation, an Unknown with a problem as its result."""

from __future__ import annotations

from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.value import Unknown
from statefmt.model.cty import DYNAMIC, Type


class Refusal(Exception):  # noqa: N818
    """An expression that OpenTofu would refuse. `try` and `can` catch it.

    `type` is the type that OpenTofu continues with: a failed sum is still a number, and so conflicts with a list on the
    other side of a conditional.
    """

    def __init__(self, summary: str, detail: str, place: Range | None) -> None:
        super().__init__(summary)
        self.problem = error(ProblemKind.EVALUATION, summary, detail, place)
        self.type: Type = DYNAMIC

    def of_type(self, of: Type) -> Refusal:
        """Set the type, that of an enclosing expression, and return the refusal."""
        self.type = of
        return self


def as_unknown(problem: Problem) -> Unknown:
    """Create the value of an expression that has this problem."""
    return Unknown(f"OpenTofu would refuse it: {problem.summary}", problem.range, problem=problem)
