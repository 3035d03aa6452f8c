"""Names provider instances and keys in messages about targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from statefmt.analysis.providers.use import short_form
from statefmt.analysis.selection.nearest import did_you_mean
from statefmt.model.addrs import AbsProviderInstance, InstanceKey, key_order

Naming: TypeAlias = Callable[[AbsProviderInstance], str]
_MOST_KEYS: Final = 10


def short_name(provider: AbsProviderInstance) -> str:
    """Return an instance as `rebind` takes it: `aws.west["eu"]` in the root module, else the full address."""
    return short_form(provider.config, provider.key) if provider.config.module.is_root else str(provider)


def nearest_providers(provider: AbsProviderInstance, known: Iterable[AbsProviderInstance], name: Naming) -> str:
    """Return the end of a message that a provider instance is unknown, with the nearest ones of its source."""
    same = (other for other in known if other.config.provider == provider.config.provider)
    return did_you_mean(name(provider), {name(other) for other in same})


def listed_keys(keys: Iterable[InstanceKey]) -> str:
    """List the first keys, and the number of the others."""
    names = [str(key) for key in sorted(keys, key=key_order) if str(key)]
    more = f" and {len(names) - _MOST_KEYS} more" if len(names) > _MOST_KEYS else ""
    return ", ".join(names[:_MOST_KEYS]) + more
