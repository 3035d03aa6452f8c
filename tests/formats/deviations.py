"""Where statetool does not do what OpenTofu does with a recorded state: each case once, with its reason.

`docs/fidelity.md` tells the same to people; `test_fidelity_page` holds the two together, and `test_conformance`
fails for a case that is listed here and agrees.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple


class Kind(Enum):
    """What statetool does instead."""

    REFUSED = "OpenTofu reads it, statetool refuses it"
    OWN_PROVIDER = "each object keeps its own provider, where OpenTofu rebinds some"
    NO_NONSENSE = "OpenTofu writes a provider that nobody can read, statetool does not"


class Deviation(NamedTuple):
    """One case of the recorded states: what statetool does instead, and why."""

    kind: Kind
    reason: str


_BOTH_FORMS = "two objects of one instance name different provider keys; OpenTofu has room for one key an instance"

DEVIATIONS: Final[dict[str, Deviation]] = {
    "provider-binding/098-both-only-last-instance-other-alias": Deviation(
        Kind.REFUSED, "OpenTofu rebinds all instances to what the last one says"
    ),
    "provider-binding/145-deposed-other-key": Deviation(Kind.OWN_PROVIDER, _BOTH_FORMS),
    "provider-binding/146-deposed-first-other-key": Deviation(Kind.OWN_PROVIDER, _BOTH_FORMS),
    "provider-binding/147-deposed-unkeyed-current-keyed": Deviation(Kind.OWN_PROVIDER, _BOTH_FORMS),
    "provider-binding/148-deposed-keyed-current-unkeyed": Deviation(Kind.OWN_PROVIDER, _BOTH_FORMS),
    "provider-binding/152-deposed-two-keys": Deviation(Kind.OWN_PROVIDER, _BOTH_FORMS),
    "provider-binding/154-zero-instances-no-provider": Deviation(
        Kind.NO_NONSENSE, "a resource without provider and instances gets the text of an internal error as its provider"
    ),
    "provider-binding/167-split-other-provider": Deviation(
        Kind.REFUSED, "OpenTofu rebinds the instances of the first block to the provider of the second"
    ),
    "provider-binding/172-split-keyed-other-config": Deviation(
        Kind.REFUSED, "OpenTofu rebinds the instances of the first block to the configuration of the second"
    ),
    "provider-binding/174-split-then-empty-block-no-provider": Deviation(
        Kind.NO_NONSENSE, "an empty second block takes the provider of the first away"
    ),
}
