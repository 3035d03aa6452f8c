"""Plan files, and plans in JSON as `tofu show -json PLANFILE` prints them: changes, and whether an apply made them.

>>> import statefmt
>>> from statefmt import plans
>>> plan = plans.open_plan("samples/apply/plan.json", statefmt.run_context())
>>> before, after = (statefmt.open(f"samples/apply/{name}.tfstate").snapshot for name in ("before", "after"))
>>> plans.verify(plan, before, after).after
()
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.plans.bindings import (
        BoundChange as BoundChange,
        PlanBindings as PlanBindings,
        PlannedProvider as PlannedProvider,
        plan_variables as plan_variables,
    )
    from statefmt.lifecycle.plan import (
        Action as Action,
        Change as Change,
        PlanError as PlanError,
        PlannedChange as PlannedChange,
        ShownPlan as ShownPlan,
    )
    from statefmt.lifecycle.plan_files.configuration import (
        configuration_in_plan as configuration_in_plan,
        refuse_other_configuration as refuse_other_configuration,
    )
    from statefmt.lifecycle.read_plan import (
        is_plan_file as is_plan_file,
        open_plan as open_plan,
        read_plan as read_plan,
        state_in_plan as state_in_plan,
    )
    from statefmt.lifecycle.verification import Verification as Verification, verify as verify
