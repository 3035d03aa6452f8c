"""Describes what a release would lose of a state: one loss, its cause, and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from statefmt.formats.releases.releases import Release
from statefmt.model.errors import StatetoolError
from statefmt.model.wording import MessagePart, Wording


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
    """Something in a state that a release does not keep, or that makes it refuse the state.

    `at` is the location: an instance, `ADDRESS (deposed KEY)`, a resource without instances, `output.NAME`, the
    construct of a check result, or "" for the whole state; `address` is the same without the deposed key. `field` is
    the member; if the whole object is lost, it is "provider", and `provider` is the effective address. `pointer` points
    into the v4 document; it is "" if the loss was not read from one.
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


def way_out(cause: Cause, release: Release) -> str:
    """Return advice in one or two sentences."""
    match cause:
        case Cause.PROVIDER_KEY | Cause.BESIDE_PROVIDER_KEY:
            return (
                "Bind all instances of a resource to one provider configuration without a key that can reach them all: "
                "statetool rebind RESOURCE PROVIDER, with --new-provider if nothing in the state uses it yet. If none "
                "can, first move them to one resource per configuration: statetool mv. Or make the same change in the "
                ".tf files and apply it with the release that wrote this state."
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
