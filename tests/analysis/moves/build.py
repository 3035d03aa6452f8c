"""Plans that destroy and create, as short as a test can say them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from statefmt.analysis.moves import propose_moves
from statefmt.analysis.moves.proposals import Proposals, parse_ignored_attribute
from statefmt.lifecycle.plan import ShownPlan
from statefmt.lifecycle.read_plan import read_plan
from statefmt.model.addrs.parsing import parse_abs_resource_instance

AWS: Final = "registry.opentofu.org/hashicorp/aws"


def change(address: str, *actions: str, **members: Any) -> dict[str, Any]:
    """A resource change with no values, unless `members` or their `change` say otherwise."""
    addr = parse_abs_resource_instance(address)
    resource = addr.resource.resource
    inner = {"actions": list(actions), "before": None, "after": None, "after_unknown": {}, **members.pop("change", {})}
    found = {"address": address, "mode": resource.mode.value, "type": resource.type, "name": resource.name}
    return {**found, "provider_name": AWS, "change": inner, **members}


def gone(address: str, values: Any, **members: Any) -> dict[str, Any]:
    """An object that would be destroyed, with the id that only it has."""
    return change(address, "delete", change={"before": {"id": f"id of {address}", **values}}, **members)


def new(address: str, values: Any, unknown: Any = None, **members: Any) -> dict[str, Any]:
    """An object that would be created; its id is unknown, and what `unknown` says."""
    return change(
        address, "create", change={"after": values, "after_unknown": {"id": True, **(unknown or {})}}, **members
    )


def kept(address: str) -> dict[str, Any]:
    """An object that stays as it is."""
    return change(address, "no-op", change={"before": {"id": "kept"}, "after": {"id": "kept"}})


def plan(*changes: dict[str, Any], configuration: Any = None, **members: Any) -> ShownPlan:
    """A plan; unless given, its configuration declares what there is after it."""
    document = {"format_version": "1.2", "planned_values": {"root_module": {}}, "resource_changes": list(changes)}
    if configuration is None:
        after = [each["address"] for each in changes if each["change"]["actions"] != ["delete"]]
        configuration = declaring(after)
    return read_plan(json.dumps({**document, "configuration": configuration, **members}).encode())


def declaring(addresses: Iterable[str]) -> dict[str, Any]:
    """A configuration with the resources of these instances, and the modules around them."""
    root: dict[str, Any] = {}
    for address in addresses:
        addr = parse_abs_resource_instance(address)
        module = root
        for step in addr.module.steps:
            module = module.setdefault("module_calls", {}).setdefault(step.name, {"module": {}})["module"]
        module.setdefault("resources", []).append({"address": str(addr.resource.resource)})
    return {"root_module": root}


def proposed(*changes: dict[str, Any], ignore: Iterable[str] = (), **options: Any) -> Proposals:
    """What is proposed for one plan of these changes."""
    return propose_moves({"": plan(*changes)}, map(parse_ignored_attribute, ignore), **options)


def moves(found: Proposals) -> Mapping[str, str]:
    """The addresses that move, and where; with the names of plans if there are several."""
    return {
        f"{move.source_plan} {move.source}".strip(): f"{move.target_plan} {move.target}".strip() for move in found.moves
    }
