"""Declares the protobuf messages of a plan file, as OpenTofu and Terraform write them, and parses them.

Holds what either engine writes; field numbers with two meanings are noted. Sources: `internal/plans/planproto` of
Terraform 1.17, `internal/plans/internal/planproto` of OpenTofu 1.13.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from statefmt.lifecycle.plan import PlanError

# Each field with its number and type: a scalar or a message; `*` stands for a repeated field. Enumerations are numbers,
# and maps are repeated entries.
_MESSAGES: Final[Mapping[str, Mapping[str, tuple[int, str]]]] = MappingProxyType({
    "Plan": {
        "version": (1, "int"), "variables": (2, "*Variable"), "resource_changes": (3, "*ResourceChange"),
        "output_changes": (4, "*OutputChange"), "terraform_version": (14, "text"),
        "relevant_attributes": (15, "*RelevantAttribute"), "ui_mode": (17, "int"),
        "resource_drift": (18, "*ResourceChange"), "check_results": (19, "*CheckResults"), "errored": (20, "bool"),
        "timestamp": (21, "text"), "applyable": (25, "bool"), "complete": (26, "bool"),
        "deferred_changes": (27, "*DeferredChange"), "action_invocations": (30, "*ActionInvocation"),
        "deferred_action_invocations": (31, "*DeferredActionInvocation"),
        # show -json prints none of these. In field 22, OpenTofu has the names of ephemeral variables.
        "target_addrs": (5, "*bytes"), "exclude_addrs": (6, "*bytes"), "backend": (13, "Backend"),
        "force_replace_addrs": (16, "*bytes"), "function_results": (22, "*bytes"),
        "apply_time_variables": (28, "*bytes"), "state_store": (29, "bytes"), "action_target_addrs": (32, "*bytes"),
        "execution_graph": (500000000, "bytes"), "destroying": (500000001, "bool"),
    },
    "Backend": {"type": (1, "text"), "config": (2, "bytes"), "workspace": (3, "text")},
    "Variable": {"name": (1, "text"), "value": (2, "Value")},
    "Value": {"msgpack": (1, "bytes")},
    "Path": {"steps": (1, "*Step")},
    "Step": {"attribute_name": (1, "text"), "element_key": (2, "Value")},
    "Change": {
        "action": (1, "int"), "values": (2, "*Value"), "before_sensitive_paths": (3, "*Path"),
        "after_sensitive_paths": (4, "*Path"), "importing": (5, "Importing"), "generated_config": (6, "text"),
        "before_identity": (7, "Value"), "after_identity": (8, "Value"),
    },
    # The second field is a bool in Terraform, which says that the id is not known.
    "Importing": {"id": (1, "text"), "opentofu_identity": (2, "Value"), "identity": (3, "Value")},
    "TerraformImporting": {"unknown": (2, "bool")},
    "ResourceChange": {
        "deposed_key": (7, "text"), "provider": (8, "text"), "change": (9, "Change"), "required_replace": (11, "*Path"),
        "action_reason": (12, "int"), "addr": (13, "text"), "prev_run_addr": (14, "text"),
    },
    "Deferred": {"reason": (1, "int")},
    "DeferredChange": {"deferred": (1, "Deferred"), "change": (2, "ResourceChange")},
    "OutputChange": {"name": (1, "text"), "change": (2, "Change"), "sensitive": (3, "bool")},
    "RelevantAttribute": {"resource": (1, "text"), "attr": (2, "Path")},
    "CheckResults": {
        "kind": (1, "int"), "config_addr": (2, "text"), "status": (3, "int"), "objects": (4, "*CheckedObject"),
    },
    "CheckedObject": {"object_addr": (1, "text"), "status": (2, "int"), "failure_messages": (3, "*text")},
    "ActionInvocation": {
        "addr": (1, "text"), "provider": (2, "text"), "config_value": (4, "Value"),
        "sensitive_config_paths": (5, "*Path"), "resource_trigger": (6, "ResourceTrigger"),
        "invoke_trigger": (7, "InvokeTrigger"),
    },
    "InvokeTrigger": {"calling_resource_addr": (1, "text")},
    "ResourceTrigger": {
        "triggering_resource_addr": (1, "text"), "trigger_event": (2, "int"), "action_trigger_block_index": (3, "int"),
        "actions_list_index": (4, "int"),
    },
    "DeferredActionInvocation": {"deferred": (1, "Deferred"), "action_invocation": (2, "ActionInvocation")},
    # The schemas that OpenTofu stores beside the plan.
    "Schemas": {"providers": (1, "*ProviderEntry")},
    "ProviderEntry": {"name": (1, "text"), "value": (2, "ProviderSchema")},
    "ProviderSchema": {
        "provider_config": (1, "Schema"), "managed_resource_types": (2, "*ResourceEntry"),
        "data_sources": (3, "*ResourceEntry"),
    },
    "ResourceEntry": {"name": (1, "text"), "value": (2, "ResourceSchema")},
    "ResourceSchema": {"schema": (1, "Schema"), "identity_schema": (2, "IdentitySchema")},
    "IdentitySchema": {"version": (1, "int"), "body": (2, "SchemaObject")},
    "Schema": {"version": (1, "int"), "block": (2, "SchemaBlock")},
    "SchemaBlock": {"attributes": (1, "*SchemaAttribute"), "block_types": (2, "*NestedBlock")},
    "NestedBlock": {
        "type_name": (1, "text"), "block": (2, "SchemaBlock"), "nesting": (3, "int"), "min_items": (4, "int"),
        "max_items": (5, "int"),
    },
    "SchemaObject": {"attributes": (1, "*SchemaAttribute"), "nesting": (2, "int")},
    "SchemaAttribute": {
        "name": (1, "text"), "type": (2, "bytes"), "nested_type": (3, "SchemaObject"), "required": (4, "bool"),
        "optional": (5, "bool"), "computed": (6, "bool"), "sensitive": (7, "bool"), "write_only": (8, "bool"),
    },
})  # fmt: skip
_PACKAGE: Final = "statetool.plan"


def parse_message(name: str, data: bytes) -> Any:
    """Parse a message by its name in the table. Raises PlanError if the bytes are not such a message."""
    from google.protobuf.message import DecodeError

    found = _classes()[name]()
    try:
        found.ParseFromString(data)
    except DecodeError:
        raise PlanError(f"the plan file is damaged: it contains an invalid {name} message") from None
    return found


def unknown_fields(message: Any) -> list[int]:
    """Return the numbers of the fields of a message that the table does not have, each once."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    fields = UnknownFieldSet(message)
    return sorted({fields[place].field_number for place in range(len(fields))})


def is_unknown_id(importing: Any) -> bool:
    """Return whether Terraform imports an object whose id was not known when planning."""
    if 2 not in unknown_fields(importing):
        return False
    return bool(parse_message("TerraformImporting", importing.SerializeToString()).unknown)


@cache
def _classes() -> Mapping[str, Any]:
    """Return the classes of the messages. The library is imported late: most plans are JSON."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    field_type = descriptor_pb2.FieldDescriptorProto
    scalars = {
        "int": field_type.TYPE_INT64,
        "bool": field_type.TYPE_BOOL,
        "text": field_type.TYPE_STRING,
        "bytes": field_type.TYPE_BYTES,
    }
    file = descriptor_pb2.FileDescriptorProto(name="statetool/plan.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            one = message.field.add(name=field, number=number)
            one.label = field_type.LABEL_REPEATED if kind.startswith("*") else field_type.LABEL_OPTIONAL
            of = kind.removeprefix("*")
            if of in scalars:
                one.type = scalars[of]
            else:
                one.type, one.type_name = field_type.TYPE_MESSAGE, f".{_PACKAGE}.{of}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _MESSAGES
    }
