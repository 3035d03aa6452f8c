"""Moves the attributes of an object to the version of its schema. Source: OpenTofu `upgradeResourceState`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.lifecycle.schema import refuses_depth
from statefmt.lifecycle.stored import conformance, formatted_path, strip_removed
from statefmt.model.addrs import AbsResourceInstance, ResourceMode
from statefmt.model.addrs.provider import Provider
from statefmt.model.cty import CtyError, ObjectType
from statefmt.model.cty.data import CtyValue
from statefmt.model.cty.values import write_value
from statefmt.model.errors import StatetoolError
from statefmt.model.snapshot import ResourceInstanceObject
from tests.lifecycle.opentofu.parts import unknown_as_null


class UpgradeTarget(Struct, frozen=True):
    """What an object is upgraded to: the implied type and the version of the schema that its provider has now."""

    addr: AbsResourceInstance
    provider: Provider
    type: ObjectType
    version: int


class UpgradeRequest(Struct, frozen=True):
    """What OpenTofu asks a provider: to upgrade attributes of a schema version, either as JSON or as a flatmap."""

    version: int
    attributes: bytes | None = None
    attributes_flat: Mapping[str, str] | None = None


class UpgradeDiagnostic(Struct, frozen=True):
    """An error that OpenTofu reports, in its words."""

    summary: str
    detail: str


class StateUpgradeError(StatetoolError):
    """An object that OpenTofu refuses to upgrade, with its diagnostics."""

    def __init__(self, *diagnostics: UpgradeDiagnostic) -> None:
        super().__init__("; ".join(f"{each.summary}: {each.detail}" for each in diagnostics))
        self.diagnostics = diagnostics


def upgrade_state(
    obj: ResourceInstanceObject, target: UpgradeTarget, ask: Callable[[UpgradeRequest], CtyValue]
) -> ResourceInstanceObject:
    """Upgrade an object with the help of its provider, which OpenTofu asks even if the version is the current one.

    `ask` returns the provider's answer. Only managed resources are upgraded, others stay as they are. Raises
    StateUpgradeError if a newer provider wrote the object, or the answer does not fit the schema; and what `ask`
    raises. Of private data and sensitive paths, nothing changes.
    """
    if target.addr.resource.resource.mode is not ResourceMode.MANAGED:
        return obj
    answer = ask(_request(obj, target))
    try:
        problems = conformance(answer.type, target.type)
        attributes = b"" if problems else _encoded(answer, target.type)
    except CtyError as error:
        detail = f"Failed to encode state for {target.addr} after resource schema upgrade: {error}."
        summary = "Failed to encode result of resource state transformation"
        raise StateUpgradeError(UpgradeDiagnostic(summary, detail)) from None
    if problems:
        raise StateUpgradeError(
            *(
                UpgradeDiagnostic(
                    "Invalid resource state transformation",
                    f"The {target.provider} provider changed the state for {target.addr}, but produced an invalid "
                    f"result: {formatted_path(each.path) + ': ' if each.path else ''}{each.message}.",
                )
                for each in problems
            )
        )
    return replace(obj, attributes=Raw(attributes), attributes_flat=None, schema_version=target.version)


@refuses_depth
def _encoded(answer: CtyValue, of: ObjectType) -> bytes:
    return write_value(unknown_as_null(answer), of)


def _request(obj: ResourceInstanceObject, target: UpgradeTarget) -> UpgradeRequest:
    if obj.schema_version > target.version:
        raise StateUpgradeError(
            UpgradeDiagnostic(
                "Resource instance managed by newer provider version",
                f"The current state of {target.addr} was created by a newer provider version than is currently "
                f"selected. Upgrade the {target.provider} provider to work with this state.",
            )
        )
    if obj.attributes is None:
        return UpgradeRequest(obj.schema_version, attributes_flat=obj.attributes_flat)
    attributes = bytes(obj.attributes)
    if obj.schema_version == target.version:
        # Of an older version, the provider may need attributes that the schema no longer has.
        attributes = strip_removed(attributes, target.type)
    return UpgradeRequest(obj.schema_version, attributes)
