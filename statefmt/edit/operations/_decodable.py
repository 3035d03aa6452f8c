"""Refuses edits that the schemas of providers do not allow: values that do not decode, and secrets in plain sight."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.edit.attributes import Assignment, TypedObject, attribute
from statefmt.edit.changes import named
from statefmt.lifecycle.schema import ProviderSchemas
from statefmt.lifecycle.schema_marks import typed_instance
from statefmt.lifecycle.stored import decode_state, undecodable_reason, undecodable_steps
from statefmt.model.cty import CtyValueError
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, ResourceState, Snapshot
from statefmt.redaction.partial import path_text


def refuse_undecodable(before: Snapshot, after: Snapshot, schemas: ProviderSchemas) -> tuple[str, ...]:
    """Raise SurgeryError if objects that differ between two snapshots with the same objects do not decode.

    Return the addresses of changed objects that cannot be told: those of another schema version, and those without a
    schema. Raises SchemaError if a schema is invalid.
    """
    unchecked: list[str] = []
    refused: list[str] = []
    for old, new in zip(before.resources, after.resources, strict=True):
        if new is not old:
            for one, other in zip(old.objects, new.objects, strict=True):
                if other.attributes is one.attributes and other.schema_version == one.schema_version:
                    continue
                reason = _refusal(new, other, schemas)
                if reason is None:
                    unchecked.append(str(new.addr.instance(other.key)))
                elif reason:
                    refused.append(reason)
    if len(refused) == 1:
        raise SurgeryError(refused[0])
    if refused:
        raise SurgeryError(f"the attributes of {len(refused)} objects do not fit the schema:{named(refused)}")
    return tuple(unchecked)


def refuse_sensitive(
    chosen: Sequence[InstanceState], assignments: Sequence[Assignment], schemas: ProviderSchemas
) -> None:
    """Raise SurgeryError if the schemas make a value sensitive that assignments would replace in sight of others."""
    if not assignments:
        return
    for instance in chosen:
        current = typed_instance(instance, schemas).current
        if current is None or current.attributes is None:
            continue
        for path, steps, _ in assignments:
            attribute(TypedObject(current, instance.resource.addr.resource.type), path, steps, allow_sensitive=False)


def _refusal(resource: ResourceState, obj: ResourceInstanceObject, schemas: ProviderSchemas) -> str | None:
    """Return why attributes do not decode by their schema: "" if they do, None if that cannot be told."""
    config, addr = resource.provider_config, resource.addr.resource
    schema = None if config is None else schemas.schema(config.provider, addr.mode, addr.type)
    if schema is None or obj.attributes is None or obj.schema_version != schema.version:
        return None
    try:
        decode_state(bytes(obj.attributes), schema.type)
    except CtyValueError as error:
        where = path_text(undecodable_steps(error)) or "the attributes"
        address = str(resource.addr.instance(obj.key))
        return f"{address}: {where}: {undecodable_reason(error)}, by the schema"
    return ""
