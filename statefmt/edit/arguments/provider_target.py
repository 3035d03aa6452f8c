"""Which provider instance is meant by what an operator writes."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.edit.changes.whole_resources import named
from statefmt.model.addrs import (
    AbsProviderInstance,
    ConfigProviderConfig,
    LocalProviderInstance,
    Module,
    parse_abs_provider_instance,
    parse_local_provider_instance,
)
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.model.instances import InstanceState


def provider_target(text: str, chosen: Sequence[InstanceState]) -> AbsProviderInstance:
    """A provider instance by its address, or as configuration names it: `aws.by_region["eu"]`.

    Such a name is of the configuration that the chosen instances are bound to, where its type and alias are these;
    else of one in the root module, of the provider that they have. Raises SurgeryError for what is neither, and for a
    name that could be of several.
    """
    try:
        return parse_abs_provider_instance(text)
    except AddressError as error:
        try:
            local = parse_local_provider_instance(text)
        except AddressError:
            raise SurgeryError(
                f"{text!r} is no provider instance, such as aws.west or "
                f'provider["hashicorp/aws"].by_region["eu"]: {error.detail} (column {error.column})'
            ) from error
    return _config(text, local, chosen).instance(local.key)


def _config(text: str, local: LocalProviderInstance, chosen: Sequence[InstanceState]) -> ConfigProviderConfig:
    name, alias = local.config.local_name, local.config.alias
    configs = {i.resource.provider_config for i in chosen}
    known = {config for config in configs if config is not None and config.provider.type == name}
    same = {config for config in known if config.alias == alias}
    meant = same or {ConfigProviderConfig(Module(), config.provider, alias) for config in known}
    if len(meant) == 1:
        return meant.pop()
    if not meant:
        there = named(sorted({str(config) for config in configs if config is not None}))
        raise SurgeryError(f"{text}: none of the chosen instances has a provider {name}; they are bound to:{there}")
    raise SurgeryError(
        f"{text} could be one of several; write one of these:"
        + named(sorted(str(config.instance(local.key)) for config in meant))
    )
