"""Checks planned objects with OpenTofu's messages."""

from __future__ import annotations

from statefmt.lifecycle.plan_valid import plan_problems
from statefmt.lifecycle.schema import SchemaBlock
from statefmt.lifecycle.stored import ValueProblem
from statefmt.model.cty.data import CtyValue
from tests.lifecycle.opentofu.members import reported


def plan_valid(schema: SchemaBlock, prior: CtyValue, config: CtyValue, planned: CtyValue) -> tuple[ValueProblem, ...]:
    """Return the problems of plan_problems(); a message shows values, unless they are marked as sensitive."""
    return reported(plan_problems(schema, prior, config, planned))
