"""Refuses edits after which attributes no longer decode by the schemas of their providers."""

from __future__ import annotations

from statefmt.lifecycle.schemas.providers import ProviderSchemas
from statefmt.lifecycle.stored import decode_state
from statefmt.lifecycle.undecodable import undecodable_reason, undecodable_steps
from statefmt.model.cty import CtyValueError
from statefmt.model.errors import SurgeryError
from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot
from statefmt.redaction.path_text import path_text


def refuse_undecodable(before: Snapshot, after: Snapshot, schemas: ProviderSchemas) -> None:
    """Raise SurgeryError if attributes that differ between two snapshots with the same objects do not decode.

    Objects of another schema version cannot be told. Raises SchemaError if a schema is invalid.
    """
    for old, new in zip(before.resources, after.resources, strict=True):
        if new is not old:
            for one, other in zip(old.objects, new.objects, strict=True):
                if other.attributes is not one.attributes:
                    _refuse_undecodable(new, other, schemas)


def _refuse_undecodable(resource: ResourceState, obj: ResourceInstanceObject, schemas: ProviderSchemas) -> None:
    config, addr = resource.provider_config, resource.addr.resource
    schema = None if config is None else schemas.schema(config.provider, addr.mode, addr.type)
    if schema is None or obj.attributes is None or obj.schema_version != schema.version:
        return
    try:
        decode_state(bytes(obj.attributes), schema.type)
    except CtyValueError as error:
        where = path_text(undecodable_steps(error))
        address = str(resource.addr.instance(obj.key))
        raise SurgeryError(
            f"{address}: {where or 'the attributes'}: {undecodable_reason(error)}, by the schema"
        ) from error
