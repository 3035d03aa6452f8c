"""Variables that OpenTofu does not let be used where it evaluates before it plans, as in a provider's `for_each`.

Source: OpenTofu `internal/configs/static_scope.go` (GetInputVariable).
"""

from __future__ import annotations

from statefmt.config.expressions import Attr, Expression
from statefmt.config.problem import Problem, ProblemKind, error
from statefmt.config.references import references
from statefmt.config.scope import Scope


def static_problem(expression: Expression, scope: Scope) -> Problem | None:
    """What is wrong with an expression in a static context: a variable with `const = false` that it depends on.

    Local values are followed, and the arguments of the calls that the variables of a module stand for.
    """
    return _problem(expression, scope, set())


def _problem(expression: Expression, scope: Scope, seen: set[tuple[str, str]]) -> Problem | None:
    for reference in references(expression):
        if reference.root not in ("var", "local") or not reference.steps or not isinstance(reference.steps[0], Attr):
            continue
        name = reference.steps[0].name
        place = (str(scope.module.path), f"{reference.root}.{name}")
        if place in seen:
            continue
        seen.add(place)
        found: Problem | None = None
        if reference.root == "local":
            local = scope.module.declarations.locals.get(name)
            found = None if local is None else _problem(local.expression, scope, seen)
        else:
            variable = scope.module.declarations.variables.get(name)
            if variable is not None and variable.const is False:
                detail = (
                    f'The variable "{name}" cannot be used in a static context, because it is declared as '
                    '"const = false".'
                )
                return error(
                    ProblemKind.EVALUATION, "Unable to use variable in static context", detail, reference.range
                )
            argument = None if scope.module.call is None else scope.module.call.arguments.get(name)
            if argument is not None and scope.caller is not None:
                found = _problem(argument.expression, scope.caller, seen)
        if found is not None:
            return found
    return None
