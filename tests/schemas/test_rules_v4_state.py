"""What the schema of format 4 takes and refuses at the top, in resources and check results, a case a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.tables import each_row

Check = Callable[..., bool]

AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'
WEST = AWS + '.by_region["us-west-2"]'

# As members of a resource: mode, provider and one instance are there already.
RESOURCE: dict[str, tuple[Any, bool]] = {
    "data": ({"mode": "data"}, True),
    "mode unknown": ({"mode": "ephemeral"}, False),
    "mode in capitals": ({"mode": "Managed"}, False),
    "mode null": ({"mode": None}, False),
    "module null": ({"module": None}, True),
    "module list": ({"module": []}, False),
    "type null": ({"type": None}, True),
    "type number": ({"type": 1}, False),
    "name null": ({"name": None}, True),
    "name number": ({"name": 1}, False),
    "each": ({"each": "list"}, True),
    "each null": ({"each": None}, True),
    "each number": ({"each": 1}, False),
    "provider number": ({"provider": 1, "instances": [{"provider": WEST}]}, False),
    "instances null": ({"instances": None}, True),
    "instances object": ({"instances": {}}, False),
    "instance null": ({"instances": [None]}, True),
    "instance list": ({"instances": [[]]}, False),
    "both levels": ({"instances": [{"provider": WEST}]}, True),
    "instance level": ({"provider": None, "instances": [{"provider": WEST}]}, True),
    "instance level, resource empty": ({"provider": "", "instances": [{"provider": WEST}]}, True),
    "neither level": ({"provider": None, "instances": [{}]}, False),
    "neither level, resource empty": ({"provider": "", "instances": [{}]}, False),
    "neither level, instance empty": ({"provider": None, "instances": [{"provider": ""}]}, False),
    "neither level, instance provider null": ({"provider": None, "instances": [{"provider": None}]}, False),
    "neither level, one of two": ({"provider": None, "instances": [{"provider": WEST}, {}]}, False),
    "neither level, null instance": ({"provider": None, "instances": [None]}, False),
    "neither level, no instance": ({"provider": None, "instances": []}, True),
    "neither level, instances null": ({"provider": None, "instances": None}, True),
}

# As members of a format 4 document.
STATE_V4: dict[str, tuple[Any, bool]] = {
    "nothing else": ({}, True),
    "everything null": (
        dict.fromkeys(("terraform_version", "serial", "lineage", "outputs", "resources", "check_results")),
        True,
    ),
    "serial largest": ({"serial": 2**64 - 1}, True),
    "serial too large": ({"serial": 2**64}, False),
    "serial negative": ({"serial": -1}, False),
    "serial text": ({"serial": "1"}, False),
    "lineage any text": ({"lineage": ""}, True),
    "lineage number": ({"lineage": 1}, False),
    "outputs list": ({"outputs": []}, False),
    "output null": ({"outputs": {"a": None}}, False),
    "output list": ({"outputs": {"a": ["a"]}}, False),
    "output without value": ({"outputs": {"a": {"type": "string"}}}, False),
    "output without type": ({"outputs": {"a": {"value": "a"}}}, False),
    "resources object": ({"resources": {}}, False),
    "resource null": ({"resources": [None]}, False),
    "resource without mode": ({"resources": [{"type": "a", "name": "b", "provider": AWS}]}, False),
    "resource without provider": ({"resources": [{"mode": "data", "instances": [{}]}]}, False),
    "check_results object": ({"check_results": {}}, False),
    "unknown member": ({"new_in_2_0": {}}, True),
    "version text": ({"version": "4"}, False),
    "version of another format": ({"version": 3}, False),
}

# As an entry of check_results.
CHECKS: dict[str, tuple[Any, bool]] = {
    "null": (None, True),
    "without members": ({}, True),
    "text": ("pass", False),
    "kind unknown": ({"object_kind": "ephemeral", "objects": [None]}, True),
    "kind null": ({"object_kind": None}, True),
    "kind number": ({"object_kind": 1}, False),
    "address": ({"object_kind": "check", "config_addr": "check.a"}, True),
    "address missing": ({"object_kind": "check"}, False),
    "address empty": ({"object_kind": "check", "config_addr": ""}, False),
    "address null": ({"object_kind": "check", "config_addr": None}, False),
    "address null, kind unknown": ({"config_addr": None}, True),
    "address number": ({"config_addr": 1}, False),
    "status unknown": ({"status": "skipped"}, True),
    "status null": ({"status": None}, True),
    "status number": ({"status": 1}, False),
    "objects null": ({"objects": None}, True),
    "objects object": ({"objects": {}}, False),
    "object text": ({"objects": ["a"]}, False),
    "object status null": ({"objects": [{"status": None}]}, True),
    "object status number": ({"objects": [{"status": 1}]}, False),
    "object address null, kind unknown": ({"objects": [{"object_addr": None}]}, True),
    "object address number": ({"objects": [{"object_addr": 1}]}, False),
    "object address": ({"object_kind": "var", "config_addr": "var.a", "objects": [{"object_addr": "var.a"}]}, True),
    "object address missing": ({"object_kind": "var", "config_addr": "var.a", "objects": [{}]}, False),
    "object address empty": ({"object_kind": "var", "config_addr": "var.a", "objects": [{"object_addr": ""}]}, False),
    "object address null": (
        {"object_kind": "output", "config_addr": "output.a", "objects": [{"object_addr": None}]},
        False,
    ),
    "object null": ({"object_kind": "resource", "config_addr": "a.b", "objects": [None]}, False),
    "messages": ({"objects": [{"failure_messages": ["a", None]}]}, True),
    "messages text": ({"objects": [{"failure_messages": "a"}]}, False),
}


@each_row(("members", "valid"), RESOURCE.values(), ids=RESOURCE)
def test_v4_resource(members: dict[str, Any], valid: bool, v4: Check) -> None:
    assert v4(resources=[_resource(**members)]) == valid


@each_row(("members", "valid"), STATE_V4.values(), ids=STATE_V4)
def test_v4_state(members: dict[str, Any], valid: bool, v4: Check) -> None:
    assert v4(**members) == valid


@each_row(("entry", "valid"), CHECKS.values(), ids=CHECKS)
def test_v4_check_results(entry: Any, valid: bool, v4: Check) -> None:
    assert v4(check_results=[entry]) == valid


def _resource(**members: Any) -> dict[str, Any]:
    return {"mode": "managed", "type": "aws_vpc", "name": "a", "provider": AWS, "instances": [{}]} | members
