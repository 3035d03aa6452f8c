"""A plan that has every member of the JSON form, of either engine, with its configuration and states.

No real plan has all of them: only OpenTofu deprecates outputs, and only Terraform invokes actions.
"""

from __future__ import annotations

from typing import Any, Final

_AWS: Final = "registry.opentofu.org/hashicorp/aws"
CONFIGURATION: Final = """
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
variable "regions" {
  type = set(string)
}
provider "aws" {
  alias    = "by"
  for_each = var.regions
  region   = each.key
}
resource "aws_vpc" "main" {
  for_each = var.regions
  provider = aws.by[each.key]
}
module "net" {
  source = "./net"
}
"""
NESTED: Final = 'resource "aws_vpc" "inner" {}'


def _names(address: str, index: str | int | None = None, **more: Any) -> dict[str, Any]:
    name = address.partition("[")[0].rpartition(".")[2]
    found: dict[str, Any] = {"address": address, "mode": "managed"}
    found |= {"type": "aws_vpc", "name": name, "provider_name": _AWS}
    return found | ({} if index is None else {"index": index}) | more


def _change(actions: list[str], before: Any, after: Any, **more: Any) -> dict[str, Any]:
    masks: dict[str, Any] = {"after_unknown": {}, "before_sensitive": {}, "after_sensitive": {}}
    return {"actions": actions, "before": before, "after": after, **masks, **more}


_EU: Final = {"id": "vpc-eu", "cidr": "10.0.0.0/16", "p": "old", "tags": {"a": "x"}}
_INNER: Final = {"id": "vpc-inner", "q": "old", "r": "old"}
_INNER_NEW: Final = {"id": "vpc-inner", "q": "new", "r": "new"}
_GONE: Final = {"id": "vpc-gone", "cidr": "10.7.0.0/16", "arn": "arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-gone"}
_ELSEWHERE: Final = {"id": "vpc-far", "cidr": "10.6.0.0/16", "arn": "arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-far"}
_DEPOSED: Final = {"id": "vpc-deposed", "cidr": "10.0.0.0/16"}
_IDENTITY: Final = {"account": "1", "id": "vpc-eu"}
_NO_BLOCK: Final = "delete_because_no_resource_config"
_ADDRESS: Final = 'aws_vpc.main["eu"]'
_STATIC: Final = {
    "kind": "resource", "mode": "managed", "type": "aws_vpc", "name": "inner", "module": "module.net",
    "to_display": "module.net.aws_vpc.inner",
}  # fmt: skip
_DYNAMIC: Final = {"module": "module.net", "to_display": "module.net.aws_vpc.inner[0]", "instance_key": 0}
_FAILED: Final = {"address": _DYNAMIC, "status": "fail", "problems": [{"message": "too small"}]}
_CHECKS: Final = [
    {"address": _STATIC, "status": "fail", "instances": [_FAILED]},
    {"address": {"kind": "check", "name": "health", "to_display": "check.health"}, "status": "unknown"},
]
_ACTION: Final = {
    "address": "action.aws_warm.it", "type": "aws_warm", "name": "it", "provider_name": _AWS,
    "config_values": {"payload": "x"}, "config_sensitive": {"payload": True}, "config_unknown": {"more": True},
}  # fmt: skip
_TRIGGERED: Final = _ACTION | {
    "lifecycle_action_trigger": {
        "triggering_resource_address": _ADDRESS, "action_trigger_event": "AfterUpdate", "action_trigger_block_index": 0,
        "actions_list_index": 0, "on_failure": "ActionOnFailureContinue",
    }
}  # fmt: skip
_INVOKED: Final = _ACTION | {"invoke_action_trigger": {"calling_resource_address": _ADDRESS}}


def _resource(names: dict[str, Any], values: Any, **more: Any) -> dict[str, Any]:
    return {**names, "schema_version": 1, "values": values, "sensitive_values": {}, **more}


_EXPRESSION: Final[dict[str, Any]] = {"references": ["var.regions"]}
_CONSTANT: Final[dict[str, Any]] = {"constant_value": "10.9.0.0/16"}
_REPEATED: Final = {"count_expression": _CONSTANT, "for_each_expression": _EXPRESSION}
PLAN: Final[dict[str, Any]] = {
    "format_version": "1.2",
    "terraform_version": "1.10.6",
    "timestamp": "2026-08-01T00:00:00Z",
    "applyable": True,
    "complete": False,
    "errored": False,
    "variables": {"regions": {"value": ["eu"]}},
    "resource_changes": [
        _names(
            _ADDRESS, "eu",
            change=_change(
                ["delete", "create"], _EU, {**_EU, "p": "new", "cidr": "10.1.0.0/16"} | {"id": None},
                after_unknown={"id": True}, before_sensitive={"p": True}, after_sensitive={"p": True},
                before_identity=_IDENTITY, after_identity=_IDENTITY, replace_paths=[["cidr"]],
            ),
            action_reason="replace_because_cannot_update",
        ),
        _names(_ADDRESS, "eu", deposed="00c0ffee", change=_change(["delete"], _DEPOSED, None)),
        _names(
            "module.net.aws_vpc.inner", module_address="module.net", previous_address="module.old.aws_vpc.inner",
            change=_change(["update"], _INNER, _INNER_NEW, before_sensitive={"q": True}, after_sensitive={"r": True}),
        ),
        _names("aws_vpc.gone", change=_change(["delete"], _GONE, None), action_reason=_NO_BLOCK),
        _names("aws_vpc.far", change=_change(["delete"], _ELSEWHERE, None)),
        _names(
            "aws_vpc.further",
            change=_change(["create"], None, {"cidr": "10.6.0.0/16"}, after_unknown={"id": True, "arn": True}),
        ),
        _names(
            "aws_vpc.new",
            change=_change(["create"], None, {"cidr": "10.7.0.0/16"}, after_unknown={"id": True, "arn": True}),
        ),
        _names(
            "aws_vpc.taken",
            change=_change(["no-op"], _EU, _EU, importing={"id": "vpc-eu"}, generated_config="resource {}"),
        ),
        _names("aws_vpc.known", change=_change(["no-op"], _EU, _EU, importing={"identity": _IDENTITY})),
    ],
    "resource_drift": [_names(_ADDRESS, "eu", change=_change(["update"], {**_EU, "tags": {"a": "w"}}, _EU))],
    "relevant_attributes": [{"resource": _ADDRESS, "attribute": ["tags"]}],
    "deferred_changes": [
        {
            "reason": "instance_count_unknown",
            "resource_change": _names(
                "aws_vpc.later[*]", index_unknown=True,
                change=_change(["create"], None, {}, importing={"unknown": True}),
            ),
        }
    ],
    "action_invocations": [_TRIGGERED, _INVOKED],
    "deferred_action_invocations": [{"reason": "deferred_prereq", "action_invocation": _TRIGGERED}],
    "output_changes": {
        "o": _change(["update"], "x", "y", after_unknown=False, before_sensitive=False, after_sensitive=False),
        "s": _change(["no-op"], "x", "x", after_unknown=False, before_sensitive=True, after_sensitive=True),
    },
    "checks": _CHECKS,
    "prior_state": {
        "format_version": "1.0",
        "terraform_version": "1.10.6",
        "checks": _CHECKS,
        "values": {
            "outputs": {
                "o": {"sensitive": False, "deprecated": "use p", "value": "x", "type": "string"},
                "kept": {"sensitive": False, "value": "x", "type": "string"},
            },
            "root_module": {
                "resources": [
                    _resource(_names(_ADDRESS, "eu"), _EU, tainted=True, depends_on=["aws_vpc.gone"],
                              identity=_IDENTITY, identity_schema_version=0, sensitive_values={"p": True}),
                    _resource(_names(_ADDRESS, "eu"), _DEPOSED, deposed_key="00c0ffee"),
                    _resource(_names("aws_vpc.gone"), _GONE),
                    _resource(_names("aws_vpc.far"), _ELSEWHERE),
                    _resource(_names("aws_vpc.taken"), _EU),
                    _resource(_names("aws_vpc.known"), _EU),
                    _resource(_names("aws_vpc.unlisted"), _EU, sensitive_values={"p": True}),
                ],
                "child_modules": [
                    {"address": "module.net", "resources": [_resource(_names("module.net.aws_vpc.inner"), _INNER)]}
                ],
            },
        },
    },
    "planned_values": {
        "outputs": {"o": {"sensitive": False, "value": "y", "type": "string"}},
        "root_module": {
            "resources": [
                _resource(_names(_ADDRESS, "eu"), {"p": "new"}, identity=_IDENTITY, identity_schema_version=0)
            ],
            "child_modules": [
                {"address": "module.net", "resources": [_resource(_names("module.net.aws_vpc.inner"), _INNER)]}
            ],
        },
    },
    "configuration": {
        "provider_config": {
            "aws": {
                "name": "aws", "full_name": _AWS, "alias": "by", "version_constraint": "~> 5.0",
                "module_address": "module.net", "expressions": {"region": {"constant_value": "eu"}},
            },
            "aws.far": {"name": "aws", "full_name": _AWS, "expressions": {"region": {"constant_value": "us-east-1"}}},
            "aws.plain": {"name": "aws", "full_name": _AWS, "expressions": {"region": {"constant_value": "eu-west-1"}}},
        },
        "root_module": {
            "outputs": {
                "o": {
                    "sensitive": False, "ephemeral": True, "deprecated": "use p", "expression": _EXPRESSION,
                    "depends_on": ["aws_vpc.gone"], "description": "an output",
                },
                "s": {"sensitive": False, "expression": _EXPRESSION},
            },
            "resources": [
                {
                    "address": "aws_vpc.main", "mode": "managed", "type": "aws_vpc", "name": "main",
                    "provider_config_key": "aws", "expressions": {"cidr": _CONSTANT}, "schema_version": 1,
                    "provisioners": [{"type": "local-exec", "expressions": {"command": _CONSTANT}}],
                    "depends_on": ["aws_vpc.gone"], **_REPEATED,
                },
                {
                    "address": "aws_vpc.further", "provider_config_key": "aws.far",
                    "expressions": {"region": _EXPRESSION},
                },
                {
                    "address": "aws_vpc.new", "mode": "managed", "type": "aws_vpc", "name": "new",
                    "provider_config_key": "aws.plain", "expressions": {},
                },
            ],
            "actions": [
                {
                    "address": "action.aws_warm.it", "type": "aws_warm", "name": "it", "provider_config_key": "aws",
                    **_REPEATED,
                }
            ],
            "module_calls": {
                "net": {
                    "source": "./net", "expressions": {"x": _CONSTANT}, "version_constraint": "1.0",
                    "depends_on": ["aws_vpc.gone"], **_REPEATED,
                    "module": {
                        "resources": [{"address": "aws_vpc.inner", "provider_config_key": "aws", "expressions": {}}]
                    },
                }
            },
            "variables": {
                "regions": {
                    "type": ["set", "string"], "default": [], "description": "regions", "required": True,
                    "sensitive": False, "ephemeral": True, "deprecated": "use areas",
                }
            },
        },
    },
}  # fmt: skip


def _object(values: Any, **more: Any) -> dict[str, Any]:
    return {"schema_version": 1, "attributes": values, "sensitive_attributes": [], **more}


def _state(serial: int, output: str, resources: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "version": 4, "terraform_version": "1.10.6", "serial": serial, "lineage": "l",
        "outputs": {name: {"value": output, "type": "string"} for name in ("o", "kept", "s")},
        "resources": resources, "check_results": None,
    }  # fmt: skip


def _block(name: str, *objects: dict[str, Any], **more: Any) -> dict[str, Any]:
    found = {"mode": "managed", "type": "aws_vpc", "name": name, "provider": f'provider["{_AWS}"]'}
    return {**more, **found, "instances": list(objects)}


_PROVIDERS: Final = {"provider": f'provider["{_AWS}"].by["eu"]'}
_MAIN: Final = {"mode": "managed", "type": "aws_vpc", "name": "main"}
BEFORE: Final = _state(
    1, "x",
    [
        _block("inner", _object(_INNER), module="module.old"),
        _block("gone", _object({**_GONE, "cidr": "10.7.0.1/16"})),
        _block("far", _object(_ELSEWHERE)),
        _block("unlisted", _object({**_EU, "p": "older"})),
        {
            **_MAIN,
            "instances": [
                _object({**_EU, "tags": {"a": "w"}}, index_key="eu", status="tainted", **_PROVIDERS),
                _object(_DEPOSED, index_key="eu", deposed="00c0ffee", **_PROVIDERS),
            ],
        },
    ],
)  # fmt: skip
# A plan that does nothing.
BARE: Final[dict[str, Any]] = {
    "format_version": "1.2", "terraform_version": "1.10.6", "planned_values": {"root_module": {}},
    "applyable": False, "complete": True, "errored": False,
}  # fmt: skip
# Some values are not the planned ones.
AFTER: Final = _state(
    2, "z",
    [
        _block("inner", _object({**_INNER_NEW, "q": "other", "r": "other"}), module="module.net"),
        _block("known", _object({**_EU, "cidr": "10.2.0.0/16"}, identity=_IDENTITY)),
        _block("further", _object({**_ELSEWHERE, "id": "vpc-further"})),
        _block("new", _object({**_GONE, "id": "vpc-new"})),
        _block("unlisted", _object({**_EU, "p": "older"})),
        _block("taken", _object(_EU)),
        {
            **_MAIN,
            "instances": [
                _object({**_EU, "p": "other", "cidr": "10.1.0.0/16", "id": "vpc-2"}, index_key="eu", identity=_IDENTITY,
                        **_PROVIDERS)
            ],
        },
    ],
)  # fmt: skip
