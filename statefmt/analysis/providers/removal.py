"""Finds obstacles to removing a provider configuration, or one instance of it.

OpenTofu destroys an object with its provider instance. Once that instance is gone from the configuration, the object
can only be forgotten. Source: RFC "Static Evaluation of Provider Iteration", on `for_each` of a provider and of its
resources; OpenTofu `internal/tofu/node_resource_abstract_instance.go` (Provider instance not present).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from statefmt.analysis.providers import BoundObject, ConfigurationUse, short_form
from statefmt.analysis.selection import did_you_mean, suggestion
from statefmt.analysis.selection.filters import fitting_providers
from statefmt.analysis.selection.patterns import pattern_steps, split_path
from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigProviderConfig,
    ResourceMode,
    list_order,
)
from statefmt.model.errors import AddressError, SelectionError
from statefmt.text import has_wildcards


class ProviderRemoval(NamedTuple):
    """The provider configuration or instances to remove, and the objects bound to them, in the order of `list`.

    `name` is the address to remove, or the text as given. `whole` is False if only elements of a `for_each` are to be
    removed. `providers` are the instances in use to remove. `used` are all instances in use of the same
    configurations.
    """

    name: str
    whole: bool
    providers: tuple[AbsProviderInstance, ...]
    used: tuple[AbsProviderInstance, ...]
    objects: tuple[BoundObject, ...]

    @property
    def to_destroy(self) -> list[AbsResourceInstance]:
        """The managed instances whose current object is bound to it; data sources have nothing to destroy."""
        return [obj.addr for obj in self.objects if not obj.deposed and _mode(obj) is ResourceMode.MANAGED]

    @property
    def to_reread(self) -> list[AbsResourceInstance]:
        """The data sources read through the provider instance."""
        return [obj.addr for obj in self.objects if not obj.deposed and _mode(obj) is ResourceMode.DATA]

    @property
    def deposed_alone(self) -> list[BoundObject]:
        """The deposed objects whose instance has no current object here; it may be bound to another provider."""
        current = set(self.to_destroy)
        return [obj for obj in self.objects if obj.deposed and obj.addr not in current]


def removal(uses: Sequence[ConfigurationUse], text: str) -> ProviderRemoval:
    """Find the objects that removing a provider configuration or instance affects.

    `text` is an address, a short form as in the configuration (`aws.by_region["eu-west-1"]`), or any value of
    `--provider`. Raises SelectionError, with the nearest names, if the state has no such configuration or nothing uses
    the key, and if a short form matches several.
    """
    config = _before_key(text)
    try:
        found = _fitting(uses, text)
    except SelectionError as error:
        configs = _configs_with_alias(uses, config) if config else []
        if len(configs) == 1:
            used = _used(uses, configs)
            names = set(map(_short, used))
            near = did_you_mean(text, names if len(names) == len(used) else set(map(str, used)))
            raise SelectionError(f"nothing in the state is bound to {text}, so it may be misspelt{near}") from error
        if error.__cause__ is not None:
            raise
        raise SelectionError(f"the state has no provider {text!r}{suggestion(text, _names(uses))}") from error
    configs = _configs(found)
    # Sources and patterns may match several configurations, a short form may not.
    is_source = "." not in text or ("/" in text and "[" not in text)
    if len(configs) > 1 and (not is_source or text in map(short_form, configs)) and not has_wildcards(text):
        listed = "".join(f"\n  {provider}" for provider in sorted(map(str, found)))
        raise SelectionError(f"{text!r} is ambiguous; give one of these in full:{listed}")
    objects = [
        obj for use in uses for instance in use.instances if instance.provider in found for obj in instance.objects
    ]
    objects.sort(key=lambda obj: (list_order(obj.addr), obj.deposed))
    used = _used(uses, configs)
    providers = tuple(provider for provider in used if provider in found)
    name = text
    if config is None and len(configs) == 1:
        name = str(configs[0])
    elif len(providers) == 1:
        name = str(providers[0])
    return ProviderRemoval(name, config is None, providers, used, tuple(objects))


def _before_key(text: str) -> str | None:
    """Return the text without the final key of a provider instance; None if it has no key."""
    try:
        _, steps = split_path(text, pattern_steps(text))
    except AddressError:
        # A source with a namespace, which has no keys.
        return None
    # The first step is the type, or `provider` with its source in brackets; only the next can be an alias with a key.
    return text[: steps[-1].key_column - 1] if len(steps) > 1 and steps[-1].key else None


def _fitting(uses: Sequence[ConfigurationUse], text: str) -> set[AbsProviderInstance]:
    """Return the provider instances that match a text. Raises SelectionError."""
    known = _known(uses)
    # Try the short form first: `aws` means the default configuration with that name, if it exists.
    found = {provider for provider in known if text in (short_form(provider.config), _short(provider))}
    return found or fitting_providers(known, text)


def _configs_with_alias(uses: Sequence[ConfigurationUse], text: str) -> list[ConfigProviderConfig]:
    """Return the configurations that match a text without a key and can have keys: configurations with an alias."""
    try:
        return [config for config in _configs(_fitting(uses, text)) if config.alias] if "." in text else []
    except SelectionError:
        return []


def _known(uses: Sequence[ConfigurationUse]) -> set[AbsProviderInstance]:
    """Return the provider instances in use; include a configuration without instances, without a key."""
    used = {instance.provider for use in uses for instance in use.instances}
    return used | {use.config.instance() for use in uses if not use.instances}


def _used(
    uses: Sequence[ConfigurationUse], configs: Collection[ConfigProviderConfig]
) -> tuple[AbsProviderInstance, ...]:
    return tuple(instance.provider for use in uses if use.config in configs for instance in use.instances)


def _configs(providers: Collection[AbsProviderInstance]) -> list[ConfigProviderConfig]:
    return list(dict.fromkeys(provider.config for provider in providers))


def _short(provider: AbsProviderInstance) -> str:
    return short_form(provider.config, provider.key)


def _names(uses: Sequence[ConfigurationUse]) -> set[str]:
    """Return all names by which the configurations and instances can be selected."""
    known = _known(uses)
    short = {_short(provider) for provider in known} | {short_form(provider.config) for provider in known}
    return short | set(map(str, known)) | {str(provider.config) for provider in known}


def _mode(obj: BoundObject) -> ResourceMode:
    return obj.addr.resource.resource.mode
