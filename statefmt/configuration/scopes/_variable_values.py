"""Applies the type, default, null handling and marks of a variable to the value given for it.

Sources: OpenTofu `internal/tofu/eval_variable.go` (prepareFinalInputVariableValue), `internal/configs/static_scope.go`.
"""

from __future__ import annotations

from statefmt.configuration.model import ModuleCall, Variable
from statefmt.hcl.expressions.evaluate import evaluate_literal
from statefmt.hcl.expressions.type_constraint import TypeConstraint, read_type
from statefmt.hcl.source.problem import ProblemKind, error
from statefmt.hcl.value import Part, Unknown, UnknownKind, Value
from statefmt.hcl.values.construct import marked
from statefmt.hcl.values.conversion import ConversionError
from statefmt.hcl.values.refusal import as_unknown


def finished(variable: Variable, given: Part | None) -> Part:
    """Return the final value of a variable; `given` is None if it is not set and has a default."""
    constraint = TypeConstraint() if variable.type is None else read_type(variable.type)
    default = None if variable.default is None else evaluate_literal(variable.default)
    value = default if given is None else given
    assert value is not None
    found = _applied(variable, constraint, value)
    if isinstance(found, Value) and found.data is None and not variable.nullable:
        if default is None:
            detail = f"The variable {variable.name} is not nullable and has no default, so it cannot be set to null."
            problem = error(ProblemKind.VARIABLE, "Required variable not set", detail, variable.range)
            return as_unknown(problem)
        found = _applied(variable, constraint, default)
    if variable.ephemeral and isinstance(found, Value):
        # Nothing persistent may use it: no instance key, no resource argument.
        return Unknown(
            f"var.{variable.name} is ephemeral",
            variable.range,
            found.type,
            variable.sensitive,
            kind=UnknownKind.VARIABLE,
        )
    return marked(found, variable.sensitive)


def _applied(variable: Variable, constraint: TypeConstraint, value: Part) -> Part:
    try:
        return constraint.apply(value)
    except ConversionError as mismatch:
        detail = f"The given value is not suitable for var.{variable.name} declared at {variable.range}: {mismatch}."
        return as_unknown(error(ProblemKind.VARIABLE, "Invalid value for input variable", detail, variable.range))


def missing(variable: Variable, call: ModuleCall | None, *, for_program: bool = False) -> Unknown:
    """Return the Unknown for a variable that has no value."""
    if call is None:
        name = variable.name
        how = f"set it with --var {name}=…, --var-file or TF_VAR_{name}"
        if for_program:
            how = f"pass it in variables= or variable_files=, or TF_VAR_{name} in the environment of the context"
        return Unknown(f"var.{variable.name} has no value: {how}", variable.range, kind=UnknownKind.VARIABLE)
    detail = f'The argument "{variable.name}" is required, but no definition was found.'
    return as_unknown(error(ProblemKind.VARIABLE, "Missing required argument", detail, call.range))
