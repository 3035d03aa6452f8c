"""The `provider` texts of a state: what they name, and whether two name the same."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from statefmt.model.addrs import (
    AbsProviderInstance,
    ConfigProviderConfig,
    StringKey,
    parse_abs_provider_instance,
    parse_config_provider_config,
    parse_legacy_provider_config,
)
from statefmt.model.codes import Code
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding
from statefmt.text.pattern import pattern

# Terraform 0.13 wrote such addresses, and OpenTofu does not read them.
_SOURCE_FIX: Final = (
    "Say where the provider comes from: `statetool upgrade --registry opentofu` knows HashiCorp's own, and "
    "`--legacy-provider TYPE=NAMESPACE/TYPE` names any other."
)
# Characters that stand for themselves in a quoted key.
_PLAIN_KEY: Final = pattern(r"[ !#&-\[\]-~]*+")
# Texts that were read, of all files of a run; a state has few different ones.
_KEPT: Final = 16384


class Unreadable(NamedTuple):
    """A provider address that is not valid, and what is wrong with it."""

    findings: tuple[Finding, ...]


@lru_cache(maxsize=_KEPT)
def read_config(text: str) -> ConfigProviderConfig | Unreadable:
    """A resource-level address, in today's form or in the one before Terraform 0.13."""
    try:
        return parse_config_provider_config(text)
    except AddressError as error:
        try:
            return parse_legacy_provider_config(text)
        except AddressError:
            return _unreadable(error)


@lru_cache(maxsize=_KEPT)
def read_instance(text: str) -> AbsProviderInstance | Unreadable:
    """An instance-level address, which is always in today's form."""
    before, bracket, key = text.removesuffix('"]').rpartition('["')
    if bracket and text.endswith('"]') and _PLAIN_KEY.fullmatch(key):
        # Many have the same configuration, each with a key of its own.
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


def _unreadable(error: AddressError) -> Unreadable:
    findings = tuple(
        Code.PROVIDER_ADDRESS_INVALID.notice(
            problem.summary,
            f"{problem.detail} (column {problem.column} of the provider address {error.text!r})",
            fix=_SOURCE_FIX if "/-/" in error.text else "",
        )
        for problem in error.problems
    )
    return Unreadable(findings)


def same_provider(one: str, other: str) -> bool:
    """Whether two `provider` texts name the same provider configuration, or the same instance of one."""
    # An address in the old form may print as text that cannot be read: it still is that address.
    return any(_printed(read(one), one) == _printed(read(other), other) for read in (read_config, read_instance))


def _printed(meaning: ConfigProviderConfig | AbsProviderInstance | Unreadable, text: str) -> str:
    return text if isinstance(meaning, Unreadable) else str(meaning)
