"""What a release would lose of a state: one loss, why it happens, and the way out."""

from __future__ import annotations

from enum import Enum
from typing import Final

from msgspec import Struct

from statefmt.formats.releases.releases import Release


class Cause(Enum):
    """Why a release loses something; the first five cost a whole object, or the provider instance it belongs to."""

    PROVIDER_KEY = "its provider has a key"
    BESIDE_PROVIDER_KEY = "its provider has no key, that of another instance has"
    NO_PROVIDER = "it has no provider"
    LEGACY_PROVIDER = "its provider is known by its type only"
    PROVIDER_ADDRESS = "its provider has a host and a namespace"
    FIELD = "a member"
    REFUSED = "a member that the state is refused for"
    UNKNOWN = "an unknown member"


_OF_OBJECTS: Final = frozenset(
    {
        Cause.PROVIDER_KEY,
        Cause.BESIDE_PROVIDER_KEY,
        Cause.NO_PROVIDER,
        Cause.LEGACY_PROVIDER,
        Cause.PROVIDER_ADDRESS,
    }
)
_LEFT_OUT: Final = "leaves out the whole resource without a message"

# What a release without a member does, where that is more than not to have it.
CONSEQUENCES: Final = {
    "skip_destroy": "it destroys what OpenTofu 1.12 and later would only forget",
    "sensitive_attributes": "it shows these values until providers or the configuration mark them again",
    "create_before_destroy": "it may destroy in another order until the next apply",
    "depends_on": "it orders by whole resources instead of their instances",
    "dependencies": "it cannot read the addresses of all that is named there",
    "terraform_version": "it refuses a state that a newer release wrote",
}


class Loss(Struct, frozen=True, kw_only=True):
    """Something in a state that a release does not keep, or that makes it refuse the state.

    `at` says where: an instance, `ADDRESS (deposed KEY)`, a resource without instances, `output.NAME`, what a check
    result is about, or "" for the whole state; `address` is the same without the deposed key. `field` is the member:
    `provider` where the whole object is lost, with `provider` the address in force. `pointer` leads into the v4
    document, and is "" where the loss was not read from one.
    """

    at: str
    address: str
    field: str
    cause: Cause
    provider: str = ""
    pointer: str = ""

    @property
    def loses_object(self) -> bool:
        """Whether an object is lost, and so what binds real infrastructure to its address."""
        return self.cause in _OF_OBJECTS

    @property
    def only_informs(self) -> bool:
        """Whether the member carries information only, so that it can be dropped on request."""
        return self.cause in (Cause.FIELD, Cause.REFUSED)


def reason(cause: Cause, release: Release) -> str:
    """Why a release loses something: the rest of a sentence that begins with the name of the release."""
    match cause:
        case Cause.PROVIDER_KEY | Cause.BESIDE_PROVIDER_KEY:
            return f"knows no instances of provider configurations and {_LEFT_OUT}"
        case Cause.NO_PROVIDER:
            return f"{_LEFT_OUT} if it names no provider"
        case Cause.LEGACY_PROVIDER:
            return (
                "cannot read the address of a provider known by its type only, unless its host is "
                f"{release.legacy_provider_host}, and {_LEFT_OUT}"
            )
        case Cause.PROVIDER_ADDRESS:
            return f"cannot read a provider's address with host and namespace and {_LEFT_OUT}"
        case Cause.FIELD:
            return "does not keep such members"
        case Cause.REFUSED:
            return "refuses to read a state with such members"
        case Cause.UNKNOWN:
            return "drops members that it does not know, and statetool does not know these either"


def way_out(cause: Cause, release: Release) -> str:
    """What to do about it, in a sentence or two."""
    match cause:
        case Cause.PROVIDER_KEY | Cause.BESIDE_PROVIDER_KEY:
            return (
                "Bind all instances of a resource to one provider configuration that has no key and reaches them all: "
                "statetool rebind RESOURCE PROVIDER. Where none reaches all, first move them to a resource for each "
                "configuration: statetool mv. Or say the same in the .tf files, and apply that with the release that "
                "wrote this state."
            )
        case Cause.NO_PROVIDER:
            return "The resource has no instances, so nothing real belongs to it: statetool rm ADDRESS takes it out."
        case Cause.LEGACY_PROVIDER:
            return (
                f"Give the provider its source: statetool downgrade --for {release} --registry {release.engine} knows "
                "HashiCorp's own, --legacy-provider TYPE=NAMESPACE/TYPE names others."
            )
        case Cause.PROVIDER_ADDRESS:
            return f"There is none: {release.title} is older than such addresses. Choose a newer release."
        case Cause.FIELD | Cause.REFUSED:
            return f"Such members carry information only: statetool downgrade --for {release} --drop-lossy drops them."
        case Cause.UNKNOWN:
            return f"statetool downgrade --for {release} --drop-unknown drops them."
