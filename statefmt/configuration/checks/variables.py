"""Checks the types and defaults of variables, and that values are given for declared variables only.

Sources: OpenTofu `internal/configs/named_values.go`, `internal/backend/unparsed_value.go`.
"""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.configuration.model import Declarations, InputValue
from statefmt.hcl.expressions.evaluate import evaluate_literal
from statefmt.hcl.expressions.type_constraint import TypeConstraint, read_type
from statefmt.hcl.source.problem import Problem, ProblemKind, error, warning
from statefmt.hcl.value import Unknown, Value
from statefmt.hcl.values.conversion import ConversionError


def check_variables(declarations: Declarations, problems: list[Problem]) -> None:
    """Add the problems of the variable declarations of one module."""
    for variable in declarations.variables.values():
        constraint = TypeConstraint() if variable.type is None else read_type(variable.type)
        problems += constraint.problems
        if variable.default is None:
            continue
        place = variable.default.range
        default = evaluate_literal(variable.default)
        if isinstance(default, Unknown):
            if default.problem is not None:
                problems.append(default.problem)
            continue
        summary = "Invalid default value for variable"
        try:
            found = constraint.apply(default)
        except ConversionError as mismatch:
            detail = f"This default value is not compatible with the variable's type constraint: {mismatch}."
            problems.append(error(ProblemKind.VARIABLE, summary, detail, place))
            continue
        if isinstance(found, Value) and found.data is None and not variable.nullable:
            detail = "A null default value is not valid when nullable=false."
            problems.append(error(ProblemKind.VARIABLE, summary, detail, place))


def check_inputs(root: Declarations, inputs: Mapping[str, InputValue], problems: list[Problem]) -> None:
    """Add a problem for each value of an undeclared variable, except for values in the environment."""
    for given in inputs.values():
        if given.name in root.variables or given.origin.startswith("TF_VAR_"):
            continue
        place = None if given.expression is None else given.expression.range
        detail = (
            f'The root module does not declare a variable named "{given.name}", but {given.origin} has a value for it.'
        )
        make = error if given.origin == "--var" else warning
        problems.append(make(ProblemKind.VARIABLE, "Value for undeclared variable", detail, place))
