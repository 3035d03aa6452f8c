"""Determine what a release would lose or refuse in a state, and fit the state to the release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import groupby
from typing import Final

from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.formats.raw_json import token
from statefmt.formats.releases import Release, all_releases
from statefmt.model.addrs import NoKey, Resource, ResourceMode
from statefmt.model.addrs.provider import LEGACY_NAMESPACE
from statefmt.model.errors import MessagePart, StatetoolError, Wording
from statefmt.model.snapshot import (
    KNOWN_STATUSES,
    CheckObject,
    CheckResult,
    OutputValue,
    ResourceInstanceObject,
    ResourceState,
    Snapshot,
    UnknownMember,
)


class Cause(Enum):
    """The reason for a loss; the first five lose a whole object, or the provider instance it belongs to."""

    PROVIDER_KEY = "its provider has a key"
    BESIDE_PROVIDER_KEY = "its provider has no key, that of another instance has"
    NO_PROVIDER = "it has no provider"
    LEGACY_PROVIDER = "its provider is known by its type only"
    PROVIDER_ADDRESS = "its provider has a host and a namespace"
    FIELD = "a member"
    REFUSED = "a member that the state is refused for"
    UNKNOWN = "an unknown member"


_OF_OBJECTS: Final = frozenset(
    {Cause.PROVIDER_KEY, Cause.BESIDE_PROVIDER_KEY, Cause.NO_PROVIDER, Cause.LEGACY_PROVIDER, Cause.PROVIDER_ADDRESS}
)
_LEFT_OUT: Final = "silently drops the whole resource"
_MOST_NAMED: Final = 5
_DROP_LOSSY: Final = Wording("--drop-lossy", "drop_lossy=True")
_DROP_UNKNOWN: Final = Wording("--drop-unknown", "drop_unknown=True")

# The consequences of a lost member, if it is more than missing.
CONSEQUENCES: Final = {
    "skip_destroy": "it destroys what OpenTofu 1.12 and later would only forget",
    "sensitive_attributes": "it shows these values until providers or the configuration mark them again",
    "create_before_destroy": "it may destroy in a different order until the next apply",
    "depends_on": "it orders whole resources instead of their instances",
    "dependencies": "it cannot read all of these addresses",
    "terraform_version": "it refuses states written by newer releases",
}


class Loss(Struct, frozen=True, kw_only=True):
    """A part of a state that a release does not keep, or because of which it refuses the state.

    `at` is the location: an instance, `ADDRESS (deposed KEY)`, a resource without instances, `output.NAME`, the
    construct of a check result, or "" for the whole state; `address` is the same without the deposed key. `field` is
    the member; if the whole object is lost, it is "provider", and `provider` is the effective address. `pointer`
    points into the v4 document; it is "" if the loss was not read from a document.
    """

    at: str
    address: str
    field: str
    cause: Cause
    provider: str = ""
    pointer: str = ""

    @property
    def loses_object(self) -> bool:
        """Whether an object is lost, and with it the binding of a real object to its address."""
        return self.cause in _OF_OBJECTS

    @property
    def only_informs(self) -> bool:
        """Whether the member is only informational, so that it can be dropped on request."""
        return self.cause in (Cause.FIELD, Cause.REFUSED)


class DowngradeError(StatetoolError):
    """A release would lose parts of a state, or refuse it; `losses` are all of them, in file order."""

    code = "downgrade"

    def __init__(self, release: Release, losses: Sequence[Loss]) -> None:
        places = list(dict.fromkeys(loss.at or "the state" for loss in losses))
        more = len(places) - _MOST_NAMED
        named = ", ".join(places[:_MOST_NAMED]) + (f" and {more} more places" if more > 0 else "")
        parts: list[MessagePart] = [f"{release.title} would lose parts of this state: {named}"]
        if any(loss.only_informs for loss in losses):
            parts += ["; ", _DROP_LOSSY, " drops members that only inform"]
        if any(loss.cause is Cause.UNKNOWN for loss in losses):
            parts += ["; ", _DROP_UNKNOWN, " drops members that statetool does not know"]
        addresses = {loss.address for loss in losses}
        super().__init__(*parts, address=(addresses.pop() or None) if len(addresses) == 1 else None)
        self.release = release
        self.losses = tuple(losses)


def reason(cause: Cause, release: Release) -> str:
    """Return why a release loses something, to complete a sentence that starts with the release's name."""
    match cause:
        case Cause.PROVIDER_KEY | Cause.BESIDE_PROVIDER_KEY:
            return f"does not support provider instance keys and {_LEFT_OUT}"
        case Cause.NO_PROVIDER:
            return f"{_LEFT_OUT} if it names no provider"
        case Cause.LEGACY_PROVIDER:
            return (
                "cannot read the address of a provider known by its type only, unless its host is "
                f"{release.legacy_provider_host}, and {_LEFT_OUT}"
            )
        case Cause.PROVIDER_ADDRESS:
            return f"cannot read a provider address with a host and a namespace and {_LEFT_OUT}"
        case Cause.FIELD:
            return "does not keep these members"
        case Cause.REFUSED:
            return "refuses to read a state with these members"
        case Cause.UNKNOWN:
            return "drops members that it does not know, and statetool does not know these either"


def encryption_refusal(meta_keys: Iterable[str], release: Release) -> str:
    """Return why a release refuses an encrypted state with these keys of metadata, as reason() does; "" if it reads it.

    The keys are names of key providers, such as `key_provider.pbkdf2.main`, unless the configuration has others.
    """
    if not release.encryption:
        return "does not read encrypted states"
    known = {type_ for each in all_releases() for type_ in each.key_providers}
    types = {key.split(".")[1] for key in meta_keys if key.startswith("key_provider.")}
    unknown = sorted(types & known - set(release.key_providers))
    return f"does not have the key provider {' and '.join(unknown)}" if unknown else ""


def way_out(cause: Cause, release: Release) -> str:
    """Return advice in one or two sentences."""
    match cause:
        case Cause.PROVIDER_KEY | Cause.BESIDE_PROVIDER_KEY:
            return (
                "Bind all instances of a resource to one provider configuration without a key that can reach them all: "
                "statetool rebind RESOURCE PROVIDER, with --new-provider if nothing in the state uses it yet. If none "
                "can, first move them to one resource per configuration: statetool mv. With the configuration, "
                "statetool adopt --back --config DIR does all of it, and prints the blocks for the .tf files. Or make "
                "the same change in them and apply it with the release that wrote this state."
            )
        case Cause.NO_PROVIDER:
            return "The resource has no instances and no real objects. Remove it: statetool rm ADDRESS."
        case Cause.LEGACY_PROVIDER:
            return (
                f"Give the provider its source: statetool downgrade --for {release} --registry {release.engine} knows "
                "HashiCorp's own, --legacy-provider TYPE=NAMESPACE/TYPE names others."
            )
        case Cause.PROVIDER_ADDRESS:
            return f"Choose a newer release: {release.title} is older than such addresses."
        case Cause.FIELD | Cause.REFUSED:
            return f"Such members carry information only: statetool downgrade --for {release} --drop-lossy drops them."
        case Cause.UNKNOWN:
            return f"statetool downgrade --for {release} --drop-unknown drops them."


# Members of an object that some releases do not keep, with their values if absent.
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

    The serial is unchanged: the caller, which knows the other changes, sets it.
    """

    snapshot: Snapshot
    losses: tuple[Loss, ...]
    dropped: tuple[Loss, ...]


def losses(snapshot: Snapshot, release: Release) -> tuple[Loss, ...]:
    """Return everything in a snapshot that a release does not keep, or refuses to read, in file order."""
    too_new = Loss(at="", address="", field="terraform_version", cause=Cause.REFUSED, pointer="/terraform_version")
    return (
        *((too_new,) if _is_too_new(snapshot, release) else ()),
        *_unknown_losses(snapshot.unknown, "", "", ""),
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
    objects = (replace(obj, **members) for obj, members in zip(resource.objects, lossy, strict=True))
    return replace(resource, objects=tuple(objects)) if any(lossy) else resource


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
            why, bound = Cause.BESIDE_PROVIDER_KEY if keyless else cause, f"{provider}{obj.provider_key}"
            yield Loss(at=at, address=address, field="provider", cause=why, provider=bound, pointer=pointer)
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


class EngineReading(Struct, frozen=True):
    """An engine's newest release, and the resources that it drops.

    `dropped` counts the dropped resources by cause. `since` is the oldest release from which on all releases drop the
    same resources; None if that holds for every release of the engine.
    """

    release: Release
    dropped: Mapping[Cause, int]
    since: Release | None

    @property
    def total(self) -> int:
        """The number of dropped resources."""
        return sum(self.dropped.values())


def engine_readings(snapshot: Snapshot) -> tuple[EngineReading, ...]:
    """Return how OpenTofu and Terraform, in this order, read the resources of a snapshot."""
    # Few resources differ in these two properties, so each kind is tested only once.
    kinds: dict[tuple[object, bool], list[ResourceState]] = {}
    for resource in snapshot.resources:
        kinds.setdefault((resource.provider_config, resource.has_provider_keys), []).append(resource)

    def reading(releases: Sequence[Release]) -> EngineReading:
        newest = releases[-1]
        dropped: Counter[Cause] = Counter()
        causes = [(alike[0], drop_cause(alike[0], newest)) for alike in kinds.values()]
        for (_, cause), alike in zip(causes, kinds.values(), strict=True):
            if cause is not None:
                dropped[cause] += len(alike)
        since = newest
        for release in reversed(releases):
            if any((drop_cause(one, release) is None) != (cause is None) for one, cause in causes):
                return EngineReading(newest, dropped, since)
            since = release
        return EngineReading(newest, dropped, None)

    engines = groupby(all_releases(), key=lambda release: release.engine)
    return tuple(reading(list(releases)) for _, releases in engines)
