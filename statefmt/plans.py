"""Plans in JSON, as `tofu show -json PLANFILE` prints them: what they change, and whether an apply did it.

>>> import statefmt
>>> from statefmt import plans
>>> plan = plans.open_plan("samples/apply/plan.json", statefmt.run_context())
>>> before, after = (statefmt.open(f"samples/apply/{name}.tfstate").snapshot for name in ("before", "after"))
>>> plans.verify(plan, before, after).after
()
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.analysis.plans.bindings import BoundChange, PlanBindings, PlannedProvider
    from statefmt.analysis.plans.plan_file import open_plan
    from statefmt.analysis.plans.variables import plan_variables
    from statefmt.lifecycle.plans.action import Action
    from statefmt.lifecycle.plans.errors import PlanError
    from statefmt.lifecycle.plans.plan import Change, PlannedChange, ShownPlan
    from statefmt.lifecycle.plans.read import read_plan
    from statefmt.lifecycle.verification.verify import Verification, verify

__all__ = [
    "Action",
    "BoundChange",
    "Change",
    "PlanBindings",
    "PlanError",
    "PlannedChange",
    "PlannedProvider",
    "ShownPlan",
    "Verification",
    "open_plan",
    "plan_variables",
    "read_plan",
    "verify",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Action": "statefmt.lifecycle.plans.action",
        "BoundChange": "statefmt.analysis.plans.bindings",
        "Change": "statefmt.lifecycle.plans.plan",
        "PlanBindings": "statefmt.analysis.plans.bindings",
        "PlanError": "statefmt.lifecycle.plans.errors",
        "PlannedChange": "statefmt.lifecycle.plans.plan",
        "PlannedProvider": "statefmt.analysis.plans.bindings",
        "ShownPlan": "statefmt.lifecycle.plans.plan",
        "Verification": "statefmt.lifecycle.verification.verify",
        "open_plan": "statefmt.analysis.plans.plan_file",
        "plan_variables": "statefmt.analysis.plans.variables",
        "read_plan": "statefmt.lifecycle.plans.read",
        "verify": "statefmt.lifecycle.verification.verify",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
