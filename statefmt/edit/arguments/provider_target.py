"""Parses the provider instance argument of `rebind`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from statefmt.analysis.selection.patterns import invalid_provider
from statefmt.edit.changes.whole_resources import named
from statefmt.model.addrs import (
    AbsProviderInstance,
    ConfigProviderConfig,
    LocalProviderConfig,
    LocalProviderInstance,
    Module,
)
from statefmt.model.addrs.parsing import parse_abs_provider_instance, parse_local_provider_instance
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.model.snapshot import InstanceState, Snapshot

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences

_FORM: Final = '; write it as aws.west or provider["hashicorp/aws"].by_region["eu"]'


def provider_target(
    text: str, chosen: Sequence[InstanceState], snapshot: Snapshot, references: ProviderReferences | None = None
) -> AbsProviderInstance:
    """Parse a provider instance: an address, or a local name as in a configuration, such as `aws.by_region["eu"]`.

    A local name means a configuration in the root module, with `references` one that these declare under that name. It
    can also mean the configuration of the chosen instances, in a module, if that has this alias, and if the edit would
    change anything. Of these two, the one that the configuration declares is meant, else the one that the `snapshot`
    uses. Raises InvalidAddressError if the text is neither, SurgeryError if it is ambiguous.
    """
    try:
        return parse_abs_provider_instance(text)
    except AddressError as error:
        try:
            local = parse_local_provider_instance(text)
        except AddressError:
            raise invalid_provider(text, error, _is_valid, "provider instance", _FORM) from error
    return _config(text, local, chosen, snapshot, references).instance(local.key)


def _is_valid(text: str) -> bool:
    for parse in (parse_abs_provider_instance, parse_local_provider_instance):
        try:
            return bool(parse(text))
        except AddressError:
            continue
    return False


def _config(
    text: str,
    local: LocalProviderInstance,
    chosen: Sequence[InstanceState],
    snapshot: Snapshot,
    references: ProviderReferences | None,
) -> ConfigProviderConfig:
    alias = local.config.alias
    configs = {i.resource.provider_config for i in chosen}
    known = {config for config in configs if config is not None and _is_named(local.config, config, references)}
    root = {ConfigProviderConfig(Module(), config.provider, alias) for config in known}
    changed = {i.resource.provider_config for i in chosen if _changes(i, local)}
    own = {config for config in known - root if config.alias == alias and config in changed}
    meant = root | own
    if own:
        there = {config for config in meant if _exists(config, snapshot, references)}
        # What does not exist is refused later, with the nearest names.
        meant = there or root
    if len(meant) == 1:
        return meant.pop()
    if not meant:
        bound = named(sorted({str(config) for config in configs if config is not None}))
        raise SurgeryError(
            f"{text}: none of the selected instances has a provider {local.config.local_name}; they are bound "
            f"to:{bound}",
            address=text,
        )
    raise SurgeryError(
        f"{text} is ambiguous; write one of:" + named(sorted(str(config.instance(local.key)) for config in meant)),
        address=text,
    )


def _is_named(local: LocalProviderConfig, config: ConfigProviderConfig, references: ProviderReferences | None) -> bool:
    """Whether a local name means the provider of `config`: in the root module of a configuration, or by its type."""
    if references is None:
        return config.provider.type == local.local_name
    from statefmt.analysis.providers.fates import required_sources, translated
    from statefmt.configuration.provider_reference import provider_named

    source = provider_named(references.configuration.modules[Module()].declarations, local.local_name)
    bound = translated(config.instance(), required_sources(references.configuration)).config.provider
    return source == bound if source is not None else config.provider.type == local.local_name


def _changes(instance: InstanceState, local: LocalProviderInstance) -> bool:
    """Whether another key in its own configuration would change anything about an instance."""
    return any(obj.provider_key != local.key for obj in instance.objects)


def _exists(config: ConfigProviderConfig, snapshot: Snapshot, references: ProviderReferences | None) -> bool:
    if references is None:
        return any(resource.provider_config == config for resource in snapshot.resources)
    from statefmt.analysis.providers.fates import required_sources, translated

    bound = translated(config.instance(), required_sources(references.configuration)).config
    return references.tree.exactly(bound) is not None
