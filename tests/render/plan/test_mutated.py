"""Plans with members that are missing, or of another kind: whatever can be read is shown and checked."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from statefmt.analysis.plans.bindings import PlanBindings
from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.formats.reading import inspect
from statefmt.lifecycle.plan import PlanError, ShownPlan
from statefmt.lifecycle.read_plan import read_plan
from statefmt.lint.check import check_plan
from statefmt.lint.plan_subject import PlanSubject
from statefmt.lint.settings import ProtectedTags, RuleSettings
from statefmt.render.diff import Manner
from statefmt.render.plan import plan_markdown, plan_text
from statefmt.render.plan_json import plan_json
from statefmt.render.terminal import Terminal
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row

_PLANS: Final = {name: files for name, files in recorded_plans().items() if "plan.json" in files}
_EACH: Final = 8
_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1.5, "x", "", [], {}, [True], {"a": True}, "registry.terraform.io/hashicorp/aws"),
    *(["create"], ["delete"], ["delete", "create"], ["forget"], "terraform_data.z", 'module.m["x"].terraform_data.a'),
)


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in members:
        yield (*path, step)
        yield from _places(part, (*path, step))


def _mutated(document: Any, choice: random.Random) -> Any:
    document = copy.deepcopy(document)
    for _ in range(choice.randint(1, 3)):
        *before, last = choice.choice([place for place in _places(document) if place[0] != "configuration"])
        holder = document
        for step in before:
            holder = holder[step]
        if isinstance(holder, dict) and choice.random() < 0.3:
            del holder[last]
        else:
            holder[last] = copy.deepcopy(choice.choice(_VALUES))
    return document


def _read(document: Any) -> ShownPlan | None:
    try:
        return read_plan(json.dumps(document).encode())
    except PlanError:
        return None


@each_row("name", _PLANS)
def test_whatever_can_be_read_is_shown(name: str, tmp_path: Path) -> None:
    files = _PLANS[name]
    (tmp_path / "main.tf").write_bytes(files["main.tf"])
    references = ProviderReferences(load(tmp_path))
    snapshot = inspect(files["before.tfstate" if "before.tfstate" in files else "after.tfstate"]).snapshot
    choice = random.Random(name)
    settings = RuleSettings(pln001=ProtectedTags(tags={"a": "*"}, attributes=("input",)))
    for _ in range(_EACH):
        plan = _read(_mutated(json.loads(files["plan.json"]), choice))
        if plan is None:
            continue
        for state in (None, snapshot):
            bindings = PlanBindings(plan, references, state)
            for manner in (Manner(), Manner(show_sensitive=True)):
                assert json.loads(plan_json(plan, bindings, show_sensitive=manner.show_sensitive))
                assert list(plan_text(plan, bindings, manner, Terminal(40)))
                assert plan_markdown(plan, bindings, manner, "plan.json")
            check_plan(PlanSubject(plan, state, "state", settings))
