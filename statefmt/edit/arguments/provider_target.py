"""Parses the provider instance argument of `rebind`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.analysis.selection.invalid import invalid_provider
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

_FORM: Final = '; write it as aws.west or provider["hashicorp/aws"].by_region["eu"]'


def provider_target(text: str, chosen: Sequence[InstanceState]) -> AbsProviderInstance:
    """Parse a provider instance: an address, or a local name as in a configuration, such as `aws.by_region["eu"]`.

    A local name means the provider configuration of the chosen instances if its type and alias match, else one of their
    provider in the root module. Raises InvalidAddressError if the text is neither, SurgeryError if it is ambiguous.
    """
    try:
        return parse_abs_provider_instance(text)
    except AddressError as error:
        try:
            local = parse_local_provider_instance(text)
        except AddressError:
            raise invalid_provider(text, error, _is_valid, "provider instance", _FORM) from error
    return _config(text, local, chosen).instance(local.key)


def _is_valid(text: str) -> bool:
    for parse in (parse_abs_provider_instance, parse_local_provider_instance):
        try:
            return bool(parse(text))
        except AddressError:
            continue
    return False


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
        raise SurgeryError(
            f"{text}: none of the selected instances has a provider {name}; they are bound to:{there}", address=text
        )
    raise SurgeryError(
        f"{text} is ambiguous; write one of:" + named(sorted(str(config.instance(local.key)) for config in meant)),
        address=text,
    )
