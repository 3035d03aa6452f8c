"""Evaluates the values of root variables: expressions in files, and strings from the environment and options.

Source: OpenTofu `internal/configs/named_values.go` (VariableParsingMode).
"""

from __future__ import annotations

from statefmt.configuration.model import InputValue, Variable
from statefmt.hcl.expressions.evaluate import evaluate_literal
from statefmt.hcl.expressions.type_constraint import read_type
from statefmt.hcl.source.position import SourceText
from statefmt.hcl.source.problem import ProblemKind, error
from statefmt.hcl.syntax.native.files import read_expression
from statefmt.hcl.value import Part
from statefmt.hcl.values.construct import text
from statefmt.hcl.values.refusal import as_unknown
from statefmt.model.cty.types import PrimitiveType


def root_value(variable: Variable, given: InputValue | None) -> Part | None:
    """Return the value set for a root variable, not yet converted; None if it is not set."""
    if given is None:
        return None
    if given.expression is not None:
        return evaluate_literal(given.expression)
    if variable.type is None or isinstance(read_type(variable.type).type, PrimitiveType):
        return text(given.text)
    source = SourceText(f"<value for var.{variable.name}>", given.text.encode("utf-8", "replace"))
    expression, problems = read_expression(source, 0, len(source.content), given.text, exact=True)
    if problems:
        detail = (
            f"The value from {given.origin} for var.{variable.name} is not a valid expression: {problems[0].detail}"
        )
        return as_unknown(error(ProblemKind.VARIABLE, "Invalid value for input variable", detail, variable.range))
    return evaluate_literal(expression)
