"""The instances that `count`, `for_each` and `enabled` make of a block."""

from __future__ import annotations

import msgspec

from statefmt.addrs import InstanceKey
from statefmt.config.model import ProviderBlock, Repetition
from statefmt.config.scope import EachValue, Scope
from statefmt.config.values import Unknown


class Instance(msgspec.Struct, frozen=True):
    """One instance: its key, and what `each` or `count` are inside of it (None without repetition)."""

    key: InstanceKey
    each: EachValue | None = None


class Expansion(msgspec.Struct, frozen=True):
    """All instances of a block, in OpenTofu's order of keys."""

    instances: tuple[Instance, ...]

    @property
    def keys(self) -> tuple[InstanceKey, ...]:
        return tuple(instance.key for instance in self.instances)


def expand(repetition: Repetition, scope: Scope) -> Expansion | Unknown:
    """The instances of a resource or a module call, or why they cannot be known.

    What OpenTofu refuses (a null, sensitive or non-string key, a list) is an Unknown with a `problem`.
    """
    raise NotImplementedError


def expand_provider(block: ProviderBlock, scope: Scope) -> Expansion | Unknown:
    """The instances of a provider block; one without a key if it has no `for_each`.

    `scope` is a static one (`Scope.static`): OpenTofu knows no `each` or `count` of the calling modules there.
    """
    raise NotImplementedError
