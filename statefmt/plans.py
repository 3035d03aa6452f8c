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
    from statefmt.analysis.plans.bindings import BoundChange, PlanBindings, PlannedProvider, plan_variables
    from statefmt.lifecycle.plan import Action, Change, PlanError, PlannedChange, ShownPlan
    from statefmt.lifecycle.read_plan import open_plan, read_plan
    from statefmt.lifecycle.verification import Verification, verify

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
        "Action": "statefmt.lifecycle.plan",
        "BoundChange": "statefmt.analysis.plans.bindings",
        "Change": "statefmt.lifecycle.plan",
        "PlanBindings": "statefmt.analysis.plans.bindings",
        "PlanError": "statefmt.lifecycle.plan",
        "PlannedChange": "statefmt.lifecycle.plan",
        "PlannedProvider": "statefmt.analysis.plans.bindings",
        "ShownPlan": "statefmt.lifecycle.plan",
        "Verification": "statefmt.lifecycle.verification",
        "open_plan": "statefmt.lifecycle.read_plan",
        "plan_variables": "statefmt.analysis.plans.bindings",
        "read_plan": "statefmt.lifecycle.read_plan",
        "verify": "statefmt.lifecycle.verification",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
