"""A folder with a state of some shape and what commands need besides, made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

_PROVIDER: Final = "registry.opentofu.org/hashicorp/aws"
_EMPTY: Final = (
    b'{"version":4,"terraform_version":"1.12.0","serial":2,"lineage":"3f1c2a77-6b0e-4f2b-8c55-0e4d6f7a8b9c",'
    b'"outputs":{},"resources":[],"check_results":null}\n'
)
_OPERATIONS: Final = """\
state "s" { path = "s.tfstate" }
move {
  from = "state.s.t.*"
  to   = "state.s.t.new$1"
}
taint {
  of = "state.s.**"
}
"""
_CONFIGURATION: Final = """\
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
variable "keys" { default = ["k1", "k2", "k3"] }
provider "aws" {}
provider "aws" { alias = "west" }
provider "aws" {
  alias    = "by"
  for_each = toset(var.keys)
}
resource "t" "a" {
  for_each = toset(var.keys)
  provider = aws.by[each.key]
}
resource "t" "r1" {}
"""
_BLOCK: Final = {
    "attributes": {
        "id": {"type": "string", "computed": True},
        "password": {"type": "string", "optional": True, "sensitive": True},
        "l": {"type": ["list", "string"], "optional": True},
    }
}
_SCHEMAS: Final = {
    "format_version": "1.0",
    "provider_schemas": {_PROVIDER: {"resource_schemas": {"t": {"version": 0, "block": _BLOCK}}}},
}


def fill(folder: Path, state: bytes) -> None:
    """Write the state as `s.tfstate`, with other ids as `t.tfstate`, and a configuration, a plan and more."""
    other = state.replace(b'"id":"', b'"id":"n').replace(b'"serial":3', b'"serial":4', 1)
    (folder / "s.tfstate").write_bytes(state)
    (folder / "t.tfstate").write_bytes(other)
    (folder / "empty.tfstate").write_bytes(_EMPTY)
    (folder / "some.stateops.hcl").write_text(_OPERATIONS)
    (folder / "schemas.json").write_text(json.dumps(_SCHEMAS))
    (folder / "plan.json").write_text(json.dumps(_plan(state)))
    (folder / "cfg").mkdir()
    (folder / "cfg" / "main.tf").write_text(_CONFIGURATION)


def _plan(state: bytes) -> dict[str, Any]:
    """A plan that updates one half of the objects, and destroys the other and creates it elsewhere."""
    try:
        tree = json.loads(state)
        changes = [
            change
            for resource in tree["resources"]
            for number, instance in enumerate(resource["instances"])
            for change in _changes(resource, instance, number)
        ]
    except (ValueError, LookupError, TypeError, RecursionError):
        changes = []
    return {
        "format_version": "1.2",
        "terraform_version": "1.12.0",
        "planned_values": {"root_module": {}},
        "resource_changes": changes,
    }


def _changes(resource: dict[str, Any], instance: dict[str, Any], number: int) -> list[dict[str, Any]]:
    module, key = resource.get("module"), instance.get("index_key")
    name = f"{resource['type']}.{resource['name']}"
    where = {"mode": "managed", "type": resource["type"], "provider_name": _PROVIDER}
    where |= {"module_address": module} if module else {}
    where |= {} if key is None else {"index": key}
    before = instance["attributes"]
    address = ".".join(filter(None, (module, name))) + ("" if key is None else f"[{json.dumps(key)}]")
    here = {**where, "address": address, "name": resource["name"]}
    if number % 2:
        return [{**here, "change": {"actions": ["update"], "before": before, "after": {**before, "id": "new"}}}]
    there = {**where, "address": f"{name}_moved", "name": f"{resource['name']}_moved"}
    return [
        {**here, "change": {"actions": ["delete"], "before": before, "after": None}},
        {**there, "change": {"actions": ["create"], "before": None, "after": {**before, "id": None}}},
    ]
