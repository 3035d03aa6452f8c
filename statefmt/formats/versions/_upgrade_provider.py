"""Chooses the provider configuration of a resource of format version 3: one for all of its instances.

Source: OpenTofu `internal/states/statefile/version3_upgrade.go` (commit 328af77d65). OpenTofu takes the provider of
whichever instance it meets first, in random order; statetool takes that of the lowest key and reports it
if the instances disagree.
"""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.formats.versions.upgrade_report import UpgradeFailed, UpgradeReport
from statefmt.model.addrs import (
    ConfigProviderConfig,
    Module,
    Provider,
    Resource,
    parse_legacy_provider_config,
    parse_local_provider_config,
)
from statefmt.model.errors import AddressError


def resource_provider(
    resource: Resource, module: Module, given: Sequence[tuple[str, str, str]], report: UpgradeReport
) -> str:
    """Return the provider address of a resource, in the legacy form that version 4 allows.

    `given` has (address, provider, pointer) for each instance, the lowest key first. Raises UpgradeFailed if the
    first provider is invalid.
    """
    text, provider, pointer = given[0]
    try:
        chosen = _provider_config(resource, module, provider)
    except AddressError as error:
        raise UpgradeFailed(3, _reason(provider, text, error), f"{pointer}/provider", text) from error
    for other_text, other_provider, other_pointer in given[1:]:
        try:
            same = _provider_config(resource, module, other_provider) == chosen
        except AddressError:
            same = False
        if not same:
            report.chose(
                f"its provider is {other_provider!r}, but {text} has {provider!r}; all instances of the "
                "resource get the latter, that of the lowest key",
                other_text,
                f"{other_pointer}/provider",
            )
    return chosen.legacy_str()


def _provider_config(resource: Resource, module: Module, text: str) -> ConfigProviderConfig:
    if "provider." in text:
        return parse_legacy_provider_config(text)
    if not text:
        return ConfigProviderConfig(module, Provider.legacy(resource.implied_provider()), "")
    local = parse_local_provider_config(text)
    return ConfigProviderConfig(module, Provider.legacy(local.local_name), local.alias)


def _reason(provider: str, text: str, error: AddressError) -> str:
    reason = f"the provider reference {provider!r} of {text} is not valid ({error.summary}: {error.detail})"
    if "${" in provider:
        reason += (
            "; it seems to contain a template interpolation, which Terraform 0.11 accepted silently. Give the "
            "provider alias a plain name and apply that with Terraform 0.11 first"
        )
    return reason
