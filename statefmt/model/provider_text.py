"""Parses and compares the `provider` strings of a state."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from msgspec.structs import replace

from statefmt.model.addrs import AbsProviderInstance, ConfigProviderConfig, StringKey
from statefmt.model.addrs.parsing import (
    parse_abs_provider_instance,
    parse_config_provider_config,
    parse_legacy_provider_config,
)
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Finding
from statefmt.text import pattern

# The host in addresses that Terraform writes for providers known by their type only. OpenTofu does not read these.
_TERRAFORM_LEGACY: Final = pattern(rf'(?<=provider\["){TERRAFORM_HOST}(?=/-/)')
# Characters that need no escapes in a quoted key.
_PLAIN_KEY: Final = pattern(r"[ !#&-\[\]-~]*+")
# Cache size for parsed addresses of all files of a run; a state has few different ones.
_KEPT: Final = 65536


class Unreadable(NamedTuple):
    """The findings for an invalid provider address, and the instance that Terraform reads in it, if any."""

    findings: tuple[Finding, ...]
    in_terraform: AbsProviderInstance | None = None


@lru_cache(maxsize=_KEPT)
def read_config(text: str) -> ConfigProviderConfig | Unreadable:
    """Parse a resource-level address, in the current form or the one before Terraform 0.13."""
    try:
        return parse_config_provider_config(text)
    except AddressError as error:
        try:
            return parse_legacy_provider_config(text)
        except AddressError:
            return _unreadable(error)


@lru_cache(maxsize=_KEPT)
def read_instance(text: str) -> AbsProviderInstance | Unreadable:
    """Parse an instance-level address, which is always in the current form."""
    before, bracket, key = text.removesuffix('"]').rpartition('["')
    if bracket and text.endswith('"]') and _PLAIN_KEY.fullmatch(key):
        # Many instances share a configuration, so parse it once and only the key each time.
        config = _read_today(before)
        if config is not None and config.alias:
            return AbsProviderInstance(config, StringKey(key))
    try:
        return parse_abs_provider_instance(text)
    except AddressError as error:
        return _unreadable(error)


@lru_cache(maxsize=_KEPT)
def _read_today(text: str) -> ConfigProviderConfig | None:
    try:
        return parse_config_provider_config(text)
    except AddressError:
        return None


def read_as_terraform(text: str) -> AbsProviderInstance | None:
    """Parse an address that Terraform reads and OpenTofu refuses, `provider["registry.terraform.io/-/aws"]`.

    Terraform writes it for a provider that a state from before 0.13 names by its type only. Returns None for others.
    """
    mended, count = _TERRAFORM_LEGACY.subn(DEFAULT_HOST, text)
    if not count:
        return None
    try:
        instance = parse_abs_provider_instance(mended)
    except AddressError:
        return None
    provider = replace(instance.config.provider, hostname=TERRAFORM_HOST)
    return replace(instance, config=replace(instance.config, provider=provider))


def _unreadable(error: AddressError) -> Unreadable:
    findings = tuple(
        Code.PROVIDER_ADDRESS_INVALID.notice(
            problem.summary, f"{problem.detail} (column {problem.column} of the provider address {error.text!r})"
        )
        for problem in error.problems
    )
    return Unreadable(findings, read_as_terraform(error.text))


def same_provider(one: str, other: str) -> bool:
    """Return whether two `provider` strings name the same provider configuration or instance."""
    # Compare as strings: an address in the old form may print as a string that cannot be parsed.
    return any(_printed(read(one), one) == _printed(read(other), other) for read in (read_config, read_instance))


def _printed(meaning: ConfigProviderConfig | AbsProviderInstance | Unreadable, text: str) -> str:
    return text if isinstance(meaning, Unreadable) else str(meaning)
