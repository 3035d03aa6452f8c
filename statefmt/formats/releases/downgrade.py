"""Finds what a release would lose of a snapshot, and drops what is only informational.

The table behind `releases.py` says what each release keeps. Changes that every release makes when it normalises what
it reads (the order of sets, the form of addresses) are not losses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.releases.loss import Cause, Loss
from statefmt.formats.releases.releases import Release
from statefmt.model.addrs import NoKey, Resource, ResourceMode
from statefmt.model.addrs.provider import LEGACY_NAMESPACE
from statefmt.model.check_results import KNOWN_STATUSES, CheckObject, CheckResult
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceInstanceObject, ResourceState, UnknownMember
from statefmt.model.snapshot import Snapshot

# The members of an object that not every release keeps, and their values if absent.
_OBJECT_MEMBERS: Final = {
    "sensitive_attributes": b"[]",
    "depends_on": (),
    "create_before_destroy": False,
    "skip_destroy": False,
    "identity": None,
    "identity_schema_version": None,
}
# Values without meaning: a release that omits them loses nothing.
_MEANINGLESS: Final = frozenset({b"null", b"false", b'""', b"[]", b"{}"})


class Fitted(Struct, frozen=True):
    """A snapshot fitted to a release. `losses` remain, so it cannot be written; `dropped` were removed on request.

    The serial is unchanged: the caller, who knows what else changed, sets it.
    """

    snapshot: Snapshot
    losses: tuple[Loss, ...]
    dropped: tuple[Loss, ...]


def losses(snapshot: Snapshot, release: Release) -> tuple[Loss, ...]:
    """Return everything in a snapshot that a release does not keep, or refuses to read, in file order."""
    return (
        *_envelope_losses(snapshot, release),
        *(loss for resource in snapshot.resources for loss in _resource_losses(resource, release)),
        *(loss for output in snapshot.outputs for loss in _output_losses(output, release)),
        *(loss for result in snapshot.check_results for loss in _check_losses(result, release)),
    )


def fit(snapshot: Snapshot, release: Release, *, drop_lossy: bool, drop_unknown: bool) -> Fitted:
    """Fit a snapshot to a release; with `drop_lossy`, drop informational members that the release does not keep.

    Never drops a resource, an instance or a provider key. Unknown members stay in the snapshot; with `drop_unknown`
    they do not count as losses, since the writer omits them.
    """
    found = [loss for loss in losses(snapshot, release) if not (drop_unknown and loss.cause is Cause.UNKNOWN)]
    if not drop_lossy:
        return Fitted(snapshot, tuple(found), ())
    dropped = tuple(loss for loss in found if loss.only_informs)
    if dropped:
        snapshot = without_lossy(snapshot, release)
    return Fitted(snapshot, tuple(loss for loss in found if not loss.only_informs), dropped)


def without_lossy(snapshot: Snapshot, release: Release) -> Snapshot:
    """Return the snapshot without the informational members that a release does not keep."""
    return replace(
        snapshot,
        terraform_version="" if _is_too_new(snapshot, release) else snapshot.terraform_version,
        resources=tuple(_resource_without_lossy(resource, release) for resource in snapshot.resources),
        outputs=tuple(output if release.deprecated else replace(output, deprecated="") for output in snapshot.outputs),
        check_results=tuple(
            result for result in snapshot.check_results if not result.known_kind or _keeps_check(result, release)
        ),
    )


def _resource_without_lossy(resource: ResourceState, release: Release) -> ResourceState:
    lossy = [_lossy_members(obj, release) for obj in resource.objects]
    if not any(lossy):
        return resource
    objects = [replace(obj, **members) for obj, members in zip(resource.objects, lossy, strict=True)]
    return replace(resource, objects=tuple(objects))


def _lossy_members(obj: ResourceInstanceObject, release: Release) -> dict[str, object]:
    """Return the members of an object that a release does not keep, each with the value that remains."""
    lossy: dict[str, object] = {
        name: absent
        for name, absent in _OBJECT_MEMBERS.items()
        if getattr(obj, name) != absent and not getattr(release, name)
    }
    kept = tuple(named for named in obj.dependencies if _can_be_named(named.resource, release))
    if len(kept) < len(obj.dependencies):
        lossy["dependencies"] = kept
    return lossy


def _can_be_named(resource: Resource, release: Release) -> bool:
    """Return whether a release can read the address of a resource in `dependencies`."""
    if resource.mode is ResourceMode.EPHEMERAL:
        return release.ephemeral_dependencies
    return resource.mode is not ResourceMode.MANAGED or resource.type not in release.reserved_types


def _envelope_losses(snapshot: Snapshot, release: Release) -> Iterator[Loss]:
    if _is_too_new(snapshot, release):
        yield Loss(at="", address="", field="terraform_version", cause=Cause.REFUSED, pointer="/terraform_version")
    yield from _unknown_losses(snapshot.unknown, "", "", "")


def _resource_losses(resource: ResourceState, release: Release) -> Iterator[Loss]:
    addr = str(resource.addr)
    block = f"/resources/{resource.origin[0]}" if resource.origin else ""
    yield from _unknown_losses(resource.unknown, addr, addr, block)
    cause = drop_cause(resource, release)
    provider = str(resource.provider_config or "")
    if cause and not resource.objects:
        yield Loss(at=addr, address=addr, field="provider", cause=cause, provider=provider, pointer=block)
    for obj in resource.objects:
        address = f"{addr}{obj.key}"
        at = f"{address} (deposed {obj.deposed})" if obj.deposed else address
        pointer = f"/resources/{obj.origin[0]}/instances/{obj.origin[1]}" if obj.origin else ""
        if cause:
            keyless = cause is Cause.PROVIDER_KEY and isinstance(obj.provider_key, NoKey)
            yield Loss(
                at=at,
                address=address,
                field="provider",
                cause=Cause.BESIDE_PROVIDER_KEY if keyless else cause,
                provider=f"{provider}{obj.provider_key}",
                pointer=pointer,
            )
        for name in _lossy_members(obj, release):
            lost = getattr(obj, name)
            if not (isinstance(lost, Raw) and bytes(lost) in _MEANINGLESS):
                cause_here = Cause.REFUSED if name == "dependencies" else Cause.FIELD
                place = f"{pointer}/{name}" if pointer else ""
                yield Loss(at=at, address=address, field=name, cause=cause_here, pointer=place)
        yield from _unknown_losses(obj.unknown, at, address, pointer)


def drop_cause(resource: ResourceState, release: Release) -> Cause | None:
    """Return why a release would silently drop a resource because of its provider; None if it would not."""
    config = resource.provider_config
    if config is None:
        return None if release.provider_keys else Cause.NO_PROVIDER
    if not release.provider_keys and resource.has_provider_keys:
        return Cause.PROVIDER_KEY
    if not release.source_addresses:
        return Cause.PROVIDER_ADDRESS
    if config.provider.namespace == LEGACY_NAMESPACE and config.provider.hostname != release.legacy_provider_host:
        return Cause.LEGACY_PROVIDER
    return None


def _output_losses(output: OutputValue, release: Release) -> Iterator[Loss]:
    at, pointer = f"output.{output.name}", f"/outputs/{token(output.name)}"
    if output.deprecated and not release.deprecated:
        yield Loss(at=at, address=at, field="deprecated", cause=Cause.FIELD, pointer=f"{pointer}/deprecated")
    yield from _unknown_losses(output.unknown, at, at, pointer)


def _check_losses(result: CheckResult, release: Release) -> Iterator[Loss]:
    at, pointer = result.config_addr, "/check_results"
    if not result.known_kind:
        yield Loss(at=at, address=at, field="check_results", cause=Cause.UNKNOWN, pointer=pointer)
    elif not _keeps_check(result, release):
        yield Loss(at=at, address=at, field="check_results", cause=Cause.FIELD, pointer=pointer)
    parts: tuple[CheckResult | CheckObject, ...] = (result, *result.objects)
    for part in parts:
        if part.status and part.status not in KNOWN_STATUSES:
            yield Loss(at=at, address=at, field="status", cause=Cause.UNKNOWN, pointer=pointer)
        for loss in _unknown_losses(part.unknown, at, at, ""):
            yield replace(loss, pointer=pointer)


def _keeps_check(result: CheckResult, release: Release) -> bool:
    return result.object_kind in release.check_kinds


def _unknown_losses(unknown: tuple[UnknownMember, ...], at: str, address: str, pointer: str) -> Iterator[Loss]:
    for name, raw, _ in unknown:
        if bytes(raw) not in _MEANINGLESS:
            yield Loss(at=at, address=address, field=name, cause=Cause.UNKNOWN, pointer=f"{pointer}/{token(name)}")


def _is_too_new(snapshot: Snapshot, release: Release) -> bool:
    """Return whether a release refuses a state because a newer release wrote it."""
    if release.states_of_newer_releases or not snapshot.terraform_version:
        return False
    major, minor, *_ = snapshot.terraform_version.split(".")
    return (int(major), int(minor)) > release.version
