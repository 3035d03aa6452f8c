"""Advice for declaring a missing provider instance again for one more apply: what to do, and what to paste.

Source: OpenTofu's own advice, `internal/tofu/node_resource_abstract_instance.go`, resolveProvider.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from statefmt.analysis.providers.fates import FateKind
from statefmt.hcl.value import Unknown
from statefmt.lint.subject import Subject
from statefmt.lint.ways_out.fates import fates
from statefmt.lint.ways_out.snippets import in_module, nearest_module, provider_block
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, InstanceKey


class PutBack(NamedTuple):
    """The beginning of a sentence ("put its key back"), and the block to paste."""

    how: str
    snippet: str


def put_back(subject: Subject, provider: AbsProviderInstance) -> PutBack | None:
    """Return how to restore a provider instance, with all missing ones of its configuration; None if it exists.

    A block cannot have instances both with and without keys: if `for_each` was added or removed, restore the old form.
    """
    references = subject.configuration
    assert references is not None
    config = provider.config
    there = references.declares(provider)
    if isinstance(there, Unknown) or there:
        return None
    block = references.tree.declared.get(config)
    if block is None:
        how = f"put its block back {in_module(nearest_module(references, config.module))}"
        return PutBack(how, provider_block(references, config, _bound_keys(subject, config), provider.key))
    if provider.key is NO_KEY:
        how = "go back to the block without for_each, and to references without a key"
        return PutBack(how, provider_block(references, config, ()))
    if block.for_each is None:
        how = "go back to the block with for_each, and to references with a key"
        return PutBack(how, provider_block(references, config, _bound_keys(subject, config), provider.key))
    missed = missed_keys(subject, config)
    keys = missed if provider.key in missed else [provider.key, *missed]
    return PutBack(
        "put its key back into the for_each of the provider", provider_block(references, config, keys, provider.key)
    )


def missed_keys(subject: Subject, config: ConfigProviderConfig) -> Collection[InstanceKey]:
    """Return the keys that a provider configuration lacks for the objects that lose their provider."""
    return subject.once(_missed).get(config, ())


def _missed(subject: Subject) -> dict[ConfigProviderConfig, dict[InstanceKey, None]]:
    found: dict[ConfigProviderConfig, dict[InstanceKey, None]] = {}
    for fate in fates(subject):
        if fate.outcome is FateKind.INSTANCE_GONE and fate.needed is not None:
            found.setdefault(fate.needed.config, {})[fate.needed.key] = None
        elif fate.outcome is FateKind.CONFIGURATION_GONE:
            found.setdefault(fate.bound.config, {})[fate.bound.key] = None
    return found


def _bound_keys(subject: Subject, config: ConfigProviderConfig) -> Collection[InstanceKey]:
    """Return the keys of a provider configuration that the state uses."""
    return subject.once(_bound).get(config, ())


def _bound(subject: Subject) -> dict[ConfigProviderConfig, dict[InstanceKey, None]]:
    found: dict[ConfigProviderConfig, dict[InstanceKey, None]] = {}
    for fate in fates(subject):
        found.setdefault(fate.bound.config, {})[fate.bound.key] = None
    return found
