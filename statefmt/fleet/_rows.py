"""Turns the bytes of one state into rows of all tables, without sensitive values. Pure: it reads and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec import Struct

from statefmt.context import RunContext
from statefmt.fleet._masking import (
    REMOTE_STATE,
    Masking,
    finding_rows,
    json_text,
    one_line,
    secrets_of,
    secrets_of_document,
)
from statefmt.fleet._resource_rows import instance_address, keyed_hash, remote_ref, resource_rows
from statefmt.fleet.tables import (
    DependencyRow,
    FindingRow,
    FleetError,
    FleetStateRow,
    ObjectRow,
    OutputRow,
    RemoteRefRow,
    ResourceRow,
)
from statefmt.formats.providers import short_addresses
from statefmt.formats.reading import Inspection, inspect
from statefmt.formats.versions import collector_paused
from statefmt.lint.check import check
from statefmt.model.addrs import ResourceMode
from statefmt.model.errors import EncryptionError, StatetoolError, Wording
from statefmt.model.findings import NO_STATE, Code, Finding, Severity
from statefmt.model.snapshot import Snapshot
from statefmt.redaction.object_value import hides_output
from statefmt.sealed import opened
from statefmt.store.backends import RemoteName
from statefmt.store.reading import SIZE_VARIABLE, largest_stream, size_of
from statefmt.store.remote.client import TIMEOUT_VARIABLE, Patience


def read_rows(
    context: RunContext,
    name: str,
    origin: StateOrigin,
    wanted: Wanted,
    *,
    checks: bool,
    limits: StateLimits,
    size: int = 0,
) -> StateRows:
    """Return the rows of a state, whose listed `size` is 0 if it is unknown.

    Never raises: a state that cannot be read, or is too large, has a row with its error.
    """
    try:
        if refusal := limits.refusal(size):
            return unreadable(origin, refusal)
        stored = limits.applied(context).read(name)
        if refusal := limits.refusal(len(stored)):
            return unreadable(origin, refusal)
    except StatetoolError as error:
        return unreadable(origin, _reason(error, name))
    except (OSError, MemoryError) as error:
        return unreadable(origin, f"it cannot be read: {error.__class__.__name__}")
    try:
        with collector_paused():
            return _stored_rows(context, name, stored, origin, wanted, checks=checks)
    except StatetoolError as error:
        return unreadable(origin, _reason(error, name), stored, encrypted=isinstance(error, EncryptionError))
    except (RecursionError, MemoryError) as error:
        return unreadable(origin, f"it cannot be read: {error.__class__.__name__}", stored)


def _stored_rows(
    context: RunContext, name: str, stored: bytes, origin: StateOrigin, wanted: Wanted, *, checks: bool
) -> StateRows:
    found = opened(context, name, stored, tolerant=True)
    is_encrypted = found is not None and found.envelope is not None
    inspection = inspect(stored if found is None else found.plain)
    findings: Sequence[Finding] = ()
    if checks:
        # Suggested commands must work in any folder.
        findings = check(inspection, name=name if isinstance(name, RemoteName) else origin.uri, opened=found)
    if inspection.snapshot is None and any(one.code == "STA003" for one in inspection.findings):
        is_encrypted = True
    return rows_of(origin, stored, inspection, findings, wanted, encrypted=is_encrypted)


def _reason(error: StatetoolError, name: str) -> str:
    """Return the message without the name, which the row already has."""
    return error.on_command_line.removeprefix(f"{name}: ")


_REGISTRIES: Final = {"registry.opentofu.org": "opentofu", "registry.terraform.io": "terraform"}
# The limit up to which secrets are searched in all rows of a state at once.
_FEW: Final = 32
_ENCRYPTED: Final = "encrypted, and no encryption configuration was given"


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
    """The origin of a state: the columns of `states` that do not depend on its bytes."""

    state_id: str
    uri: str
    source: str
    workspace: str | None = None
    version: str | None = None
    made_by: str = ""


class Wanted(Struct, frozen=True):
    """The content of rows. `key` is the key of the hashes; `attributes` and outputs are stored only on request."""

    key: bytes
    attributes: bool = False


def unreadable(origin: StateOrigin, error: str, stored: bytes | None = None, *, encrypted: bool = False) -> StateRows:
    """Return the rows of an unreadable state."""
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
        origin: Its place.
        stored: Its bytes as stored, encrypted or not.
        inspection: The result of reading its plain bytes.
        findings: The findings to store.
        wanted: The other rows to store.
        encrypted: Whether it is stored encrypted.
    """
    snapshot = inspection.snapshot
    # Commands refuse a state with such a finding.
    preventing = (one for one in inspection.findings if one.severity is Severity.ERROR or one.code in NO_STATE)
    reason = next(preventing, None)
    if snapshot is None or reason is not None:
        masking = Masking(frozenset() if inspection.document is None else secrets_of_document(inspection.document))
        # OpenTofu has the same summary for an encrypted state and a file that is not a state.
        is_sealed = reason is not None and reason.code == Code.ENCRYPTED
        error = _ENCRYPTED if is_sealed else "not a state" if reason is None else reason.summary
        rows = unreadable(origin, error, stored, encrypted=encrypted)
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
    secrets, holders = secrets_of(snapshot)
    # Names hardly ever contain a secret, and searching each of them takes long.
    rows = _rows(
        state, snapshot, inspection.data, findings, origin, wanted, Masking(secrets, frozenset(), holders=holders)
    )
    if secrets and _may_name(rows, secrets):
        rows = _rows(state, snapshot, inspection.data, findings, origin, wanted, Masking(secrets, holders=holders))
    return rows


def _rows(
    state: FleetStateRow,
    snapshot: Snapshot,
    data: bytes,
    findings: Sequence[Finding],
    origin: StateOrigin,
    wanted: Wanted,
    masking: Masking,
) -> StateRows:
    found = resource_rows(snapshot.resources, origin.state_id, masking, wanted.key, attributes=wanted.attributes)
    return StateRows(
        [state],
        found.resources,
        found.objects,
        found.dependencies,
        _outputs(snapshot, origin.state_id, wanted, masking),
        list(_remote_refs(snapshot, origin, wanted, masking)),
        finding_rows(origin.state_id, data, findings, masking),
    )


def _may_name(rows: StateRows, secrets: frozenset[str]) -> bool:
    """Return whether a name, an address or an id may contain a secret; nearly always False."""
    if len(secrets) > _FEW:
        return True
    encoder = msgspec.json.Encoder()
    found = b"".join(
        encoder.encode_lines(part)
        for part in (rows.resources, rows.objects, rows.dependencies, rows.outputs, rows.remote_refs, rows.findings)
    )
    return any(encoder.encode(secret.encode("utf-8", "replace").decode())[1:-1] in found for secret in secrets)


def _columns(origin: StateOrigin) -> dict[str, Any]:
    return {name: getattr(origin, name) for name in StateOrigin.__struct_fields__}


def _engine(snapshot: Snapshot) -> str | None:
    """Return the engine by the registry of the providers; None if it is ambiguous."""
    hosts = {resource.provider_config.provider.hostname for resource in snapshot.resources if resource.provider_config}
    engines = {_REGISTRIES[host] for host in map(str, hosts) if host in _REGISTRIES}
    return engines.pop() if len(engines) == 1 else None


def _remote_refs(snapshot: Snapshot, origin: StateOrigin, wanted: Wanted, masking: Masking) -> Iterator[RemoteRefRow]:
    for resource in snapshot.resources:
        name = resource.addr.resource
        if name.type == REMOTE_STATE and name.mode is ResourceMode.DATA:
            for obj in resource.objects:
                address = instance_address(resource, obj, masking)
                ref = remote_ref(obj, origin.state_id, origin.uri, address, wanted.key, masking.secrets)
                if ref is not None:
                    yield ref


def _outputs(snapshot: Snapshot, state_id: str, wanted: Wanted, masking: Masking) -> list[OutputRow]:
    return [
        OutputRow(
            state_id,
            masking.text(output.name),
            json_text(one_line(output.type)),
            output.sensitive,
            None if hidden else keyed_hash(wanted.key, one_line(output.value)),
            None if hidden or not wanted.attributes else json_text(one_line(output.value)),
        )
        for output in snapshot.outputs
        for hidden in [hides_output(output) or masking.repeats(output.value)]
    ]


class StateLimits(Struct, frozen=True):
    """The limits of each state: its size in bytes, and its time in seconds."""

    size: int
    seconds: float

    @classmethod
    def of(cls, environment: Mapping[str, str], size: str | None = None, seconds: float | None = None) -> StateLimits:
        """Return the limits of a run: the defaults are STATETOOL_MAX_SIZE and STATETOOL_TIMEOUT.

        Raises FleetError for an invalid size, and StoreError for an invalid variable.
        """
        if size is not None and not size_of(size):
            raise FleetError(Wording("--max-size", "max_size"), f" must be a size with a unit, such as 20MiB: {size!r}")
        return cls(
            largest_stream(environment) if size is None else size_of(size),
            Patience.of(environment).whole if seconds is None else seconds,
        )

    def applied(self, context: RunContext) -> RunContext:
        """Return a context with these upper limits for each request and each stream."""
        patience = Patience.of(context.environment)
        variables = {SIZE_VARIABLE: f"{-(-self.size >> 10)}KiB"}
        if self.seconds < patience.whole:
            variables[TIMEOUT_VARIABLE] = f"{self.seconds:.3f}"
        return replace(context, environment={**context.environment, **variables})

    def refusal(self, size: int) -> str:
        """Return why a state of this size is not read; "" if it is."""
        if size <= self.size:
            return ""
        return f"it has {size:,} bytes; the limit is {self.size:,} bytes, and --max-size raises it"
