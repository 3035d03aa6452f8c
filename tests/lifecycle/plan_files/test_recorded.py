"""Plan files of real programs read as the JSON that the same programs print."""

from __future__ import annotations

import json
from typing import Any

from statefmt.lifecycle.plan_files.archive import open_archive
from statefmt.lifecycle.plan_files.document import plan_document
from tests.lifecycle.plan_files.recorded import recorded_files
from tests.tables import each_row

_NAMES = list(recorded_files())


def test_enough_are_recorded() -> None:
    assert len(_NAMES) >= 60
    assert {name.partition("/")[0] for name in _NAMES} == {"terraform-1.11", "terraform-1.15"}


@each_row("name", _NAMES)
def test_the_document_is_the_json(name: str) -> None:
    plan = recorded_files()[name]
    found, wanted = json.loads(plan_document(open_archive(plan.file))), json.loads(plan.json)
    for change in (*found.get("resource_changes", ()), *found.get("resource_drift", ())):
        assert change.pop("provider_config") == 'provider["terraform.io/builtin/terraform"]'
    for document in (found, wanted):
        # The file has them in no order.
        document.get("relevant_attributes", []).sort(key=json.dumps)
        document["configuration"] = _without_expressions(document["configuration"])
    assert found == wanted


def _without_expressions(configuration: dict[str, Any]) -> Any:
    """Return the addresses, variables and calls, which are all that is read of a configuration."""
    return _module(configuration["root_module"])


def _module(module: dict[str, Any]) -> dict[str, Any]:
    return {
        "resources": sorted(one["address"] for one in module.get("resources", ())),
        "variables": module.get("variables", {}),
        "calls": {name: _module(call.get("module", {})) for name, call in module.get("module_calls", {}).items()},
    }
