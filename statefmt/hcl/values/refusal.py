"""What OpenTofu refuses to evaluate: raised where it is found, and made an Unknown with a problem at the top."""

from __future__ import annotations

from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.value import Unknown
from statefmt.model.cty import DYNAMIC, Type


class Refusal(Exception):  # noqa: N818
    """An expression that OpenTofu would refuse. `try` and `can` catch it.

    `type` is the one that OpenTofu goes on with: a sum that fails is a number all the same, and so does not go with a
    list on the other side of a conditional.
    """

    def __init__(self, summary: str, detail: str, place: Range | None) -> None:
        super().__init__(summary)
        self.problem = error(ProblemKind.EVALUATION, summary, detail, place)
        self.type: Type = DYNAMIC

    def of_type(self, of: Type) -> Refusal:
        """The same refusal, of a whole that has this type."""
        self.type = of
        return self


def as_unknown(problem: Problem) -> Unknown:
    """The value of an expression that has this problem."""
    return Unknown(f"OpenTofu would refuse it: {problem.summary}", problem.range, problem=problem)
