"""Chooses the provider configuration of a resource of format version 3: one for all of its instances.

Source: OpenTofu `internal/states/statefile/version3_upgrade.go` (commit 328af77d65). OpenTofu takes the provider of
whichever instance it meets first, in random order; statetool takes that of the lowest key and reports it
if the instances disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from statefmt.formats.versions._resource_entry import ResourceEntry
from statefmt.formats.versions.upgrade_report import UpgradeFailed, UpgradeReport
from statefmt.model.addrs import (
    ConfigProviderConfig,
    LocalProviderConfig,
    Module,
    Provider,
    Resource,
    parse_legacy_provider_config,
    parse_local_provider_config,
)
from statefmt.model.errors import AddressError

# Cache sizes for the providers of all files of a run; a state has few different ones.
_KEPT: Final = 4096


def resource_provider(
    resource: Resource, module: Module, entries: Sequence[ResourceEntry], report: UpgradeReport
) -> str:
    """Return the provider address of a resource, in the legacy form that version 4 allows.

    The first of the entries, its instances, has the lowest key. Raises UpgradeFailed if its provider is invalid.
    """
    first = entries[0]
    provider = first.document.provider or ""
    try:
        chosen = _provider_config(resource, module, provider)
    except AddressError as error:
        reason = _reason(provider, first.text, error)
        raise UpgradeFailed(3, reason, f"{first.pointer}/provider", first.text) from error
    for entry in entries[1:]:
        other = entry.document.provider or ""
        if other == provider:
            continue
        try:
            same = _provider_config(resource, module, other) == chosen
        except AddressError:
            same = False
        if not same:
            report.chose(
                f"its provider is {other!r}, but {first.text} has {provider!r}; all instances of the "
                "resource get the latter, that of the lowest key",
                entry.text,
                f"{entry.pointer}/provider",
            )
    return _legacy_text(chosen)


def _provider_config(resource: Resource, module: Module, text: str) -> ConfigProviderConfig:
    if not text:
        return ConfigProviderConfig(module, Provider.legacy(resource.implied_provider()), "")
    parsed = _parsed(text)
    if isinstance(parsed, ConfigProviderConfig):
        return parsed
    return ConfigProviderConfig(module, Provider.legacy(parsed.local_name), parsed.alias)


@lru_cache(maxsize=_KEPT)
def _parsed(text: str) -> ConfigProviderConfig | LocalProviderConfig:
    return parse_legacy_provider_config(text) if "provider." in text else parse_local_provider_config(text)


@lru_cache(maxsize=_KEPT)
def _legacy_text(config: ConfigProviderConfig) -> str:
    return config.legacy_str()


def _reason(provider: str, text: str, error: AddressError) -> str:
    reason = f"the provider reference {provider!r} of {text} is not valid ({error.summary}: {error.detail})"
    if "${" in provider:
        reason += (
            "; it seems to contain a template interpolation, which Terraform 0.11 accepted silently. Give the "
            "provider alias a plain name and apply that with Terraform 0.11 first"
        )
    return reason
