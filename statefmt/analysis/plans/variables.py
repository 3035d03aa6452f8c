"""Passes the variables that a plan was made with to the configuration that it is compared with."""

from __future__ import annotations

from statefmt.configuration import VariableOption
from statefmt.golang import encode_string
from statefmt.lifecycle.plans.plan import ShownPlan


def plan_variables(plan: ShownPlan, name: str) -> tuple[VariableOption, ...]:
    """Return the values of a plan's variables as an option of `load`; `name` is the plan's file, for messages.

    The configuration of a plan has other instances with other values, so those of the plan count, not those in files.
    Values of ephemeral variables are absent from a plan.
    """
    if not plan.variables:
        return ()
    members = [encode_string(variable) + b":" + bytes(value) for variable, value in plan.variables.items()]
    return (VariableOption(file=name, document=b"{%b}" % b",".join(members)),)
