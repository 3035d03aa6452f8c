"""Finds the provider instances that an edit binds objects to."""

from __future__ import annotations

from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.snapshot import Snapshot


def new_bindings(before: Snapshot, after: Snapshot) -> list[AbsProviderInstance]:
    """Return the provider instances of objects that were bound to another before, each once.

    Both snapshots have the same objects in the same order. A resource without objects is bound to no key.
    """
    found: dict[AbsProviderInstance, None] = {}
    for old, new in zip(before.resources, after.resources, strict=True):
        if old is new or new.provider_config is None:
            continue
        moves = old.provider_config != new.provider_config
        keys = {
            obj.provider_key: None
            for was, obj in zip(old.objects, new.objects, strict=True)
            if moves or obj.provider_key != was.provider_key
        }
        found.update((new.provider_config.instance(key), None) for key in keys)
        if moves and not new.objects:
            found[new.provider_config.instance()] = None
    return list(found)
