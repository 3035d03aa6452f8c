"""Finds the references that OpenTofu does not allow in a value that it needs before planning.

Source: OpenTofu `internal/configs/static_scope.go`, StaticValidateReferences, GetInputVariable, enhanceDiagnostics;
`internal/addrs/parse_ref.go` for the range of a reference to report.
"""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.configuration.model import Configuration
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.expressions import AttributeAccess, Expression, IndexAccess, Traversal
from statefmt.hcl.syntax.references import references
from statefmt.model.addrs import Module

_STATIC = frozenset({"var", "local", "path", "terraform", "tofu"})
# The number of steps after the first word that name the object.
_STEPS = {"data": 2, "ephemeral": 2, "module": 1, "each": 1, "count": 1, "self": 0}
# Longer chains of references are not followed to their end.
_DEEPEST = 100


def static_problems(configuration: Configuration, module: Module, expression: Expression) -> Iterator[Problem]:
    """Yield what is known only in a plan in an expression and in the names that it uses; each location once."""
    yield from _Walk(configuration).problems(module, expression, expression.range)


class _Walk:
    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._seen: set[tuple[Module, str]] = set()
        self._depth = 0

    def problems(self, module: Module, expression: Expression, place: Range) -> Iterator[Problem]:
        """Yield the problems of one expression; `place` covers the whole argument or local value."""
        spoilt: list[str] = []
        for reference in references(expression):
            if reference.root not in _STATIC:
                yield _refused(reference)
                continue
            first = reference.steps[0] if reference.steps else None
            if not isinstance(first, AttributeAccess):
                continue
            if reference.root in ("terraform", "tofu") and first.name == "applying":
                detail = "terraform.applying differs between plan and apply."
                yield error(
                    ProblemKind.EVALUATION, "Invalid attribute in static context", detail, _object_range(reference)
                )
            if reference.root not in ("var", "local"):
                continue
            name = f"{reference.root}.{first.name}"
            if (module, name) in self._seen:
                continue
            self._seen.add((module, name))
            if self._is_later(module, reference, first):
                detail = f'The variable "{first.name}" has `const = false`: its value may be known only in a plan.'
                where = reference.root_range.to(first.range)
                yield error(ProblemKind.EVALUATION, "Unable to use variable in static context", detail, where)
                continue
            if self._depth == _DEEPEST:
                continue
            self._depth += 1
            found = list(self._of_name(module, reference.root, first.name))
            self._depth -= 1
            yield from found
            if found:
                spoilt.append(name)
        if spoilt:
            detail = f"This depends on {', '.join(spoilt)}, which cannot be known before a plan."
            yield error(ProblemKind.EVALUATION, "Unable to compute static value", detail, place)

    def _is_later(self, module: Module, reference: Traversal, step: AttributeAccess) -> bool:
        variable = self._configuration.modules[module].declarations.variables.get(step.name)
        return reference.root == "var" and variable is not None and variable.const is False

    def _of_name(self, module: Module, kind: str, name: str) -> Iterator[Problem]:
        """Yield the problems of a local value, or of the argument that a caller gives for a variable."""
        entered = self._configuration.modules[module]
        if kind == "local":
            local = entered.declarations.locals.get(name)
            if local is not None:
                yield from self.problems(module, local.expression, local.range)
        elif entered.call is not None and name in entered.call.arguments:
            argument = entered.call.arguments[name]
            yield from self.problems(module.parent(), argument.expression, argument.range)


def _refused(reference: Traversal) -> Problem:
    output = reference.root == "module" and len(reference.steps) > 1
    summary = "Module output not supported in static context" if output else "Dynamic value in static context"
    names = [
        step.name
        for step in reference.steps[: _STEPS.get(reference.root, 1) + output]
        if isinstance(step, AttributeAccess)
    ]
    detail = (
        f"{'.'.join([reference.root, *names])} is known only in a plan. Use only variables, "
        "local values and functions here."
    )
    return error(ProblemKind.EVALUATION, summary, detail, _object_range(reference))


def _object_range(reference: Traversal) -> Range:
    """Return the part of a reference that names an object: `aws_vpc.main[0]` of `aws_vpc.main[0].id`."""
    steps = reference.steps
    count = _STEPS.get(reference.root, 1)
    if reference.root not in ("each", "count", "self") and len(steps) > count and isinstance(steps[count], IndexAccess):
        count += 1
    if reference.root == "module" and len(steps) > count:
        count += 1
    return reference.root_range.to(steps[min(count, len(steps)) - 1].range) if steps and count else reference.root_range
