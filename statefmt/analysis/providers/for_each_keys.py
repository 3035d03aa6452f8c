"""Collects the keys of all `for_each` collections of a configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statefmt.analysis.providers.doubt import UNREAD
from statefmt.configuration.providers.references import ProviderReferences
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import InstanceKey, StringKey


class ForEachKeys(NamedTuple):
    """The known keys; `complete` if every file was read and every `for_each` and `count` is known."""

    known: frozenset[str]
    complete: bool


def for_each_keys(references: ProviderReferences) -> ForEachKeys:
    """Return the keys in provider blocks, module calls and resources."""
    known: set[str] = set()
    complete = not references.configuration.missing and not any(
        problem.kind in UNREAD for problem in references.configuration.problems
    )
    for keys in _collections(references):
        if isinstance(keys, Unknown):
            complete = False
        else:
            known.update(key.value for key in keys if isinstance(key, StringKey))
    return ForEachKeys(frozenset(known), complete)


def _collections(references: ProviderReferences) -> Iterator[Iterable[InstanceKey] | Unknown]:
    for config in references.tree.declared:
        yield references.declared_keys(config)
    for path in references.configuration.modules:
        if not path.is_root:
            modules = references.instances.of_module(path)
            yield modules if isinstance(modules, Unknown) else [module.steps[-1].key for module in modules]
    for resource in references.blocks:
        addresses = references.instances.all_of(resource)
        yield addresses if isinstance(addresses, Unknown) else [address.key for address in addresses]
