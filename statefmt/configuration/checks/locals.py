"""Finds local values that refer to themselves, without evaluating any.

Source: OpenTofu `internal/configs/static_scope.go`, which has this summary; a plan reports a cycle instead.
"""

from __future__ import annotations

from statefmt.configuration.model import Declarations
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.expressions import AttributeAccess
from statefmt.hcl.syntax.references import references


def check_locals(declarations: Declarations, problems: list[Problem]) -> None:
    """Add a problem for every cycle of local values, at its first value."""
    settled: set[str] = set()
    for name in declarations.locals:
        circle = _circle(declarations, name, settled)
        if circle:
            detail = f"local.{circle[0]} is self referential: {' → '.join(f'local.{each}' for each in circle)}."
            place = declarations.locals[circle[0]].range
            problems.append(error(ProblemKind.EVALUATION, "Circular reference", detail, place))


def _circle(declarations: Declarations, start: str, settled: set[str]) -> list[str]:
    """Return the first cycle reached from a local value, as names with the first one repeated at the end."""
    way: list[str] = []
    waiting = [(start, False)]
    found: list[str] = []
    while waiting:
        name, done = waiting.pop()
        if done:
            way.pop()
            settled.add(name)
        elif name in way:
            found = found or [*way[way.index(name) :], name]
        elif name not in settled:
            way.append(name)
            waiting.append((name, True))
            waiting += [(other, False) for other in _needed(declarations, name)]
    return found


def _needed(declarations: Declarations, name: str) -> list[str]:
    found = [
        step.name
        for reference in references(declarations.locals[name].expression)
        if reference.root == "local" and reference.steps and isinstance(step := reference.steps[0], AttributeAccess)
    ]
    return [other for other in dict.fromkeys(found) if other in declarations.locals]
