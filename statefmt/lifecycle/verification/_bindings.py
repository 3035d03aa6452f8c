"""Compares the providers of the objects after an apply with those that the plan names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec
from msgspec import Raw, Struct

from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.verification._expectations import Expectations
from statefmt.lifecycle.verification._sides import Placed, Side
from statefmt.model.addrs import (
    AbsResource,
    ConfigProviderConfig,
    Module,
    Provider,
    parse_module,
    parse_provider_source,
)
from statefmt.model.codes import Code
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding

# A resource block: the names of its module's calls, and its address there.
_Block: TypeAlias = tuple[tuple[str, ...], str]


class _ProviderJSON(Struct, gc=False):
    full_name: str = ""
    alias: str = ""
    module_address: str = ""


class _ResourceJSON(Struct, gc=False):
    address: str = ""
    provider_config_key: str = ""


class _ModuleJSON(Struct, gc=False):
    resources: tuple[_ResourceJSON, ...] | None = None
    module_calls: dict[str, _CallJSON] | None = None


class _CallJSON(Struct, gc=False):
    module: _ModuleJSON | None = None


class _ConfigurationJSON(Struct, gc=False):
    provider_config: dict[str, _ProviderJSON] | None = None
    root_module: _ModuleJSON | None = None


class ConfiguredProvider(Struct, frozen=True):
    """What the configuration in a plan says about the provider configuration of a resource block.

    The configuration is in `module` or in a module that calls it. `alias` is None if the plan leaves it open.
    """

    provider: Provider
    module: Module
    alias: str | None

    def allows(self, config: ConfigProviderConfig) -> bool:
        """Return whether a resource with this block may be bound to a provider configuration."""
        return (
            config.provider == self.provider
            and self.alias in (None, config.alias)
            and self.module.names[: len(config.module.names)] == config.module.names
        )

    def __str__(self) -> str:
        return str(ConfigProviderConfig(self.module, self.provider, self.alias or ""))


def configured_providers(raw: Raw | None) -> dict[_Block, ConfiguredProvider]:
    """Return the provider of each resource block of a plan's configuration; of none that cannot be read."""
    try:
        document = _ConfigurationJSON() if raw is None else msgspec.json.decode(raw, type=_ConfigurationJSON)
    except (msgspec.DecodeError, RecursionError):
        return {}
    found: dict[_Block, ConfiguredProvider] = {}
    providers = {key: _configured(key, entry) for key, entry in (document.provider_config or {}).items()}
    waiting: list[tuple[tuple[str, ...], _ModuleJSON]] = [((), document.root_module or _ModuleJSON())]
    while waiting:
        names, module = waiting.pop()
        for resource in module.resources or ():
            provider = providers.get(resource.provider_config_key)
            if provider is not None:
                found[names, resource.address] = provider
        for name, call in (module.module_calls or {}).items():
            waiting.append(((*names, name), call.module or _ModuleJSON()))
    return found


def _configured(key: str, entry: _ProviderJSON) -> ConfiguredProvider | None:
    try:
        module = parse_module(entry.module_address) if entry.module_address else Module()
        provider = parse_provider_source(entry.full_name)
    except AddressError:
        return None
    # A name with a dot and no alias is passed in from a caller, under a name that only the caller knows.
    passed = "." in key.rpartition(":")[2] and not entry.alias
    return ConfiguredProvider(provider, module, None if passed else entry.alias)


def binding_findings(expected: Expectations, before: Side, after: Side) -> Iterator[Finding]:
    """Yield a finding for each resource that is bound to another provider than planned.

    A plan names the provider's source, and in its configuration the provider block, but no instance of it. A resource
    that the plan leaves alone may also keep the binding that it had.
    """
    blocks = configured_providers(expected.plan.configuration)
    named, busy = _planned_providers(expected)
    for address, resource in after.resources.items():
        actual = resource.provider_config
        if actual is None or not resource.objects:
            continue
        old = before.resources.get(address)
        kept = old is not None and old.provider_config == actual
        source = named.get(address)
        pointer = after.resource_pointer(resource, "provider")
        if source is not None and not _is_source(source, actual.provider):
            detail = f"planned by the provider {source}, but bound to {actual}"
            yield _finding(detail, address, pointer)
            continue
        configured = blocks.get((address.module.module().names, str(address.resource)))
        if configured is None:
            if old is not None and not kept and old.provider_config is not None:
                yield _finding(f"bound to {old.provider_config} before, but to {actual}", address, pointer)
                continue
        elif not configured.allows(actual) and (address in busy or not kept):
            yield _finding(f"planned to be bound to {configured}, but bound to {actual}", address, pointer)
            continue
    yield from _instance_findings(expected, before, after)


def _planned_providers(expected: Expectations) -> tuple[Mapping[AbsResource, str], set[AbsResource]]:
    """Return the source of each resource's provider, and the resources that the plan changes."""
    named: dict[AbsResource, str] = {}
    busy: set[AbsResource] = set()
    for change in expected.plan.resource_changes:
        resource = change.address.containing_resource()
        if change.action.leaves_object:
            named[resource] = change.provider_name
            if change.action is not Action.NO_OP:
                busy.add(resource)
    return named, busy


def _instance_findings(expected: Expectations, before: Side, after: Side) -> Iterator[Finding]:
    """Yield a finding for each object that has another provider instance than before, which no plan mentions."""
    old_addresses = {new: old for old, new in expected.moves.items()}
    for (instance, deposed), placed in after.objects.items():
        old = before.objects.get((old_addresses.get(instance, instance), deposed))
        if old is None or old.provider_key == placed.provider_key:
            continue
        if old.resource.provider_config != placed.resource.provider_config:
            continue
        yield Code.PROVIDER_INSTANCE_CHANGED.finding(
            "Bound to another provider instance",
            f"bound to {_bound(old)} before, now to {_bound(placed)}; a plan in JSON does not say which is right",
            str(instance),
            after.pointer(placed, "provider"),
        )


def _bound(placed: Placed) -> str:
    config = placed.resource.provider_config
    return "no provider" if config is None else f"{config}{placed.provider_key}"


def _is_source(text: str, provider: Provider) -> bool:
    """Return whether a source address is that of a provider. Early releases wrote only its type."""
    if text == str(provider) or "/" not in text:
        return True
    try:
        return parse_provider_source(text) == provider
    except AddressError:
        return False


def _finding(detail: str, address: AbsResource, pointer: str) -> Finding:
    return Code.PROVIDER_NOT_AS_PLANNED.finding("Provider not as planned", detail, str(address), pointer)
