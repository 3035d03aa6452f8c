"""Writes problems as OpenTofu shows them."""

from __future__ import annotations

from statefmt.lifecycle.formatted_path import formatted_path
from statefmt.lifecycle.problem import ValueProblem


def problem_text(problem: ValueProblem) -> str:
    """Return path and message: `.network[0].name: was cty.StringVal("a"), but now null`. It may show values.

    Source: OpenTofu `tfdiags.FormatError`.
    """
    return f"{formatted_path(problem.path)}: {problem.message}" if problem.path else problem.message
