"""Reads from a configuration the provider instances of resource instances at their new addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from statefmt.analysis.providers.fates import translated
from statefmt.edit.changes import Moved, by_address
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance
from statefmt.model.snapshot import ResourceState, Snapshot

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences


def declared_bindings(
    snapshot: Snapshot, moved: Moved, references: ProviderReferences
) -> dict[AbsResourceInstance, AbsProviderInstance]:
    """Return the provider instances of moved instances by their new addresses, as far as they are determined."""
    by = by_address(snapshot)
    found = {}
    for one, other in moved.items():
        like = by.get(other.containing_resource()) or by[one.containing_resource()]
        wanted = declared_binding(other, like, references)
        if wanted is not None:
            found[other] = wanted
    return found


def declared_binding(
    addr: AbsResourceInstance, like: ResourceState | None, references: ProviderReferences
) -> AbsProviderInstance | None:
    """Return the provider instance of an instance, if the configuration determines and declares it.

    Its source is that of the state's resource `like`, which may be in Terraform's registry.
    """
    try:
        wanted = references.instance_binding(addr)
    except KeyError:
        return None
    if not isinstance(wanted, AbsProviderInstance) or references.declares(wanted) is not True:
        return None
    config = None if like is None else like.provider_config
    if config is None or translated(config.instance(), ()).config.provider != wanted.config.provider:
        return wanted
    return replace(wanted, config=replace(wanted.config, provider=config.provider))
