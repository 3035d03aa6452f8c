"""Makes the rows of one state."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from msgspec import Raw, Struct

from statefmt.fleet.rows._identifiers import identifiers
from statefmt.fleet.rows._masking import MASK, REMOTE_STATE, Masking, one_line
from statefmt.fleet.rows._remote_refs import remote_ref
from statefmt.fleet.rows._secrets import secrets_of
from statefmt.fleet.rows.findings import finding_rows
from statefmt.fleet.rows.hashes import keyed_hash
from statefmt.fleet.tables import (
    DependencyRow,
    FindingRow,
    FleetStateRow,
    ObjectRow,
    OutputRow,
    RemoteRefRow,
    ResourceRow,
)
from statefmt.formats.providers.short_addresses import short_addresses
from statefmt.formats.reading.inspect import Inspection
from statefmt.model.addrs import NO_KEY, ResourceMode
from statefmt.model.codes import NO_STATE
from statefmt.model.findings import Finding, Severity
from statefmt.model.resources import ObjectStatus, ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot
from statefmt.redaction.object_value import sensitive_paths

_REGISTRIES: Final = {"registry.opentofu.org": "opentofu", "registry.terraform.io": "terraform"}


class StateRows(Struct):
    """The rows of one state, by table."""

    states: list[FleetStateRow]
    resources: list[ResourceRow]
    objects: list[ObjectRow]
    dependencies: list[DependencyRow]
    outputs: list[OutputRow]
    remote_refs: list[RemoteRefRow]
    findings: list[FindingRow]


class StateOrigin(Struct, frozen=True):
    """Where the bytes of a state are from: the columns of `states` that do not depend on them."""

    state_id: str
    uri: str
    source: str
    workspace: str | None = None
    version: str | None = None
    made_by: str = ""


class Wanted(Struct, frozen=True):
    """What to put into rows. `key` is that of the hashes; `attributes` and outputs are stored only if wanted."""

    key: bytes
    attributes: bool = False


def unreadable(origin: StateOrigin, error: str, stored: bytes | None = None, *, encrypted: bool = False) -> StateRows:
    """Return the rows of a state that cannot be read."""
    size, digest = (None, None) if stored is None else (len(stored), sha256(stored).hexdigest())
    row = FleetStateRow(**_columns(origin), size=size, sha256=digest, encrypted=encrypted, error=error)
    return StateRows([row], [], [], [], [], [], [])


def rows_of(
    origin: StateOrigin,
    stored: bytes,
    inspection: Inspection,
    findings: Sequence[Finding],
    wanted: Wanted,
    *,
    encrypted: bool,
) -> StateRows:
    """Return the rows of a state.

    Args:
        origin: Where it is.
        stored: Its bytes as stored, encrypted or not.
        inspection: What reading its plain bytes found.
        findings: What to store as its findings.
        wanted: What else to store.
        encrypted: Whether it is stored encrypted.
    """
    snapshot = inspection.snapshot
    reason = next((one for one in inspection.findings if _prevents(one)), None)
    if snapshot is None or reason is not None:
        masking = Masking(frozenset() if snapshot is None else secrets_of(snapshot))
        rows = unreadable(origin, reason.summary if reason else "not a state", stored, encrypted=encrypted)
        rows.findings += finding_rows(origin.state_id, inspection.data, findings, masking)
        return rows
    state = FleetStateRow(
        **_columns(origin),
        size=len(stored),
        sha256=sha256(stored).hexdigest(),
        format_version=inspection.version,
        engine=_engine(snapshot),
        terraform_version=snapshot.terraform_version or None,
        serial=snapshot.serial,
        lineage=snapshot.lineage or None,
        encrypted=encrypted,
        n_resources=len(snapshot.resources),
        short_addresses=inspection.document is not None and bool(short_addresses(inspection.document)),
        n_objects=sum(len(resource.objects) for resource in snapshot.resources),
    )
    masking = Masking(secrets_of(snapshot))
    rows = StateRows([state], [], [], [], [], [], finding_rows(origin.state_id, inspection.data, findings, masking))
    for resource in snapshot.resources:
        _add_resource(rows, resource, origin, wanted, masking)
    rows.outputs += _outputs(snapshot, origin.state_id, wanted, masking)
    return rows


def _prevents(one: Finding) -> bool:
    """Return whether commands refuse a state with this finding."""
    return one.severity is Severity.ERROR or one.code in NO_STATE


def _columns(origin: StateOrigin) -> dict[str, Any]:
    return {name: getattr(origin, name) for name in StateOrigin.__struct_fields__}


def _engine(snapshot: Snapshot) -> str | None:
    """Return the engine by the registry of the providers; None if they are of both, or of neither."""
    hosts = {resource.provider_config.provider.hostname for resource in snapshot.resources if resource.provider_config}
    engines = {_REGISTRIES[host] for host in map(str, hosts) if host in _REGISTRIES}
    return engines.pop() if len(engines) == 1 else None


def _add_resource(
    rows: StateRows, resource: ResourceState, origin: StateOrigin, wanted: Wanted, masking: Masking
) -> None:
    state_id, addr, config = origin.state_id, resource.addr, resource.provider_config
    name = addr.resource
    address = masking.address(str(addr))
    rows.resources.append(
        ResourceRow(
            state_id,
            address,
            masking.address(str(addr.module)),
            "data" if name.mode is ResourceMode.DATA else "managed",
            name.type,
            masking.text(name.name),
            None if config is None else str(config.provider),
            None if config is None else str(config.module),
            None if config is None else config.alias,
        )
    )
    is_remote_state = name.type == REMOTE_STATE and name.mode is ResourceMode.DATA
    bound: dict[object, str] = {}
    for obj in resource.objects:
        key = obj.key
        instance = address if key is NO_KEY else f"{address}{masking.address(str(key))}"
        if config is None:
            provider = None
        elif (provider := bound.get(obj.provider_key)) is None:
            provider = bound[obj.provider_key] = masking.address(str(config.instance(obj.provider_key)))
        found = identifiers(obj, name.type, masking.secrets)
        rows.objects.append(
            ObjectRow(
                state_id,
                instance,
                address,
                None if key is NO_KEY else masking.text(str(key.value)),
                obj.deposed,
                "tainted" if obj.status is ObjectStatus.TAINTED else "ready",
                provider,
                obj.schema_version,
                *found,
                None if obj.identity is None else masking.identity(obj),
                _size(obj),
                _hash(obj, name.type, wanted, masking, repeats=MASK in found),
                masking.attributes(obj, name.type) if wanted.attributes else None,
            )
        )
        for dependency in (*obj.dependencies, *obj.depends_on):
            rows.dependencies.append(
                DependencyRow(state_id, instance, obj.deposed, masking.address(masking.printed(dependency)))
            )
        if is_remote_state:
            ref = remote_ref(obj, state_id, origin.uri, instance, wanted.key, masking.secrets)
            rows.remote_refs += [] if ref is None else [ref]


def _size(obj: ResourceInstanceObject) -> int:
    if obj.attributes is not None:
        return len(memoryview(obj.attributes))
    return sum(len(name) + len(value or "") for name, value in (obj.attributes_flat or {}).items())


def _hash(
    obj: ResourceInstanceObject, type_name: str, wanted: Wanted, masking: Masking, *, repeats: bool
) -> str | None:
    if not repeats and obj.attributes is not None and not sensitive_paths(obj) and not masking.is_secret(type_name):
        # The usual case: nothing to hide, and so nothing to decode.
        return keyed_hash(wanted.key, one_line(obj.attributes))
    shown = masking.attributes(obj, type_name)
    return None if shown is None else keyed_hash(wanted.key, shown)


def _outputs(snapshot: Snapshot, state_id: str, wanted: Wanted, masking: Masking) -> list[OutputRow]:
    return [
        OutputRow(
            state_id,
            masking.text(output.name),
            Raw(one_line(output.type)),
            output.sensitive,
            None if hidden else keyed_hash(wanted.key, one_line(output.value)),
            None if hidden or not wanted.attributes else Raw(one_line(output.value)),
        )
        for output in snapshot.outputs
        for hidden in [output.sensitive or masking.repeats(output.value)]
    ]
