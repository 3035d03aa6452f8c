"""Writes the messages of problems as OpenTofu does."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.golang import quote
from statefmt.lifecycle.plan_valid import FoundProblem
from statefmt.lifecycle.stored import ValueProblem, formatted_path
from statefmt.model.cty.data import CtyValue
from statefmt.text import pattern
from tests.lifecycle.opentofu.go_notation import go_notation
from tests.lifecycle.opentofu.parts import marks_deep


def problem_text(problem: ValueProblem) -> str:
    """Return path and message: `.network[0].name: was cty.StringVal("a"), but now null`. It may show values.

    Source: OpenTofu `tfdiags.FormatError`.
    """
    return f"{formatted_path(problem.path)}: {problem.message}" if problem.path else problem.message


_VERB = pattern(r"%#v|%[dqs]")


def reported(problems: Iterable[FoundProblem]) -> tuple[ValueProblem, ...]:
    """Write the messages. Values with a part that is marked as sensitive are hidden, where OpenTofu shows marks."""
    return tuple(ValueProblem(each.path, each.template, _message(each)) for each in problems)


def _message(found: FoundProblem) -> str:
    rest = iter(found.values)

    def text(verb: str) -> str:
        value = next(rest)
        if isinstance(value, CtyValue):
            return "(sensitive value)" if "sensitive" in marks_deep(value) else go_notation(value)
        return quote(value) if verb == "%q" and isinstance(value, str) else str(value)

    return _VERB.sub(lambda match: text(match[0]), found.template)
