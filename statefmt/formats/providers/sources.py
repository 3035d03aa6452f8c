"""Chooses provider sources: from the other public registry, or a real one for a provider known by its type only.

Private registries and built-in providers stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from statefmt.formats.providers.known_types import KNOWN_TYPES
from statefmt.model.addrs import (
    DEFAULT_HOST,
    TERRAFORM_HOST,
    Provider,
    implied_provider,
    is_identifier,
    normalize_provider_part,
    parse_provider_source,
)
from statefmt.model.addrs.hostname import HostnameError, hostname_for_comparison
from statefmt.model.addrs.provider import BUILTIN_HOST, LEGACY_NAMESPACE
from statefmt.model.errors import AddressError

PUBLIC_HOSTS: Final = (DEFAULT_HOST, TERRAFORM_HOST)
_ENGINES: Final = ((DEFAULT_HOST, "OpenTofu"), (TERRAFORM_HOST, "Terraform"))

_FORM: Final = "expected TYPE=[HOST/]NAMESPACE/TYPE, such as aws=hashicorp/aws"


def engine_of(hosts: Iterable[str]) -> str | None:
    """Return the engine whose registry all public providers come from; None if there is none or more than one."""
    used = set(hosts)
    found = [engine for host, engine in _ENGINES if host in used]
    return found[0] if len(found) == 1 else None


class LegacySource(NamedTuple):
    """The source of a provider known by its type only; if `host` is "", the registry chosen for all applies."""

    host: str
    namespace: str
    type: str


class SourceChoice(Struct, frozen=True):
    """A choice of the provider sources to rewrite, and the new sources.

    `host`: the public registry for all providers of either one; "" keeps each provider's own. `legacy`: the sources
    of providers known by their type only, besides the well-known ones.
    """

    host: str = ""
    legacy: Mapping[str, LegacySource] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there is anything to rewrite."""
        return bool(self.host or self.legacy)

    def source_of(self, provider: Provider) -> Provider | None:
        """Return the new source of a provider; None if only its type is known and no source is known for that."""
        if provider.namespace == LEGACY_NAMESPACE:
            return self._legacy_source(provider)
        if self.host and provider.hostname in PUBLIC_HOSTS:
            return replace(provider, hostname=self.host)
        return provider

    def _legacy_source(self, provider: Provider) -> Provider | None:
        host = self.host or provider.hostname
        given = self.legacy.get(provider.type)
        if given is not None:
            return Provider(given.host or host, given.namespace, given.type)
        if provider.type not in KNOWN_TYPES:
            return None
        known = implied_provider(provider.type)
        return known if known.is_builtin else replace(known, hostname=host)


KEEP: Final = SourceChoice()


def source_choice(host: str, entries: Iterable[str]) -> SourceChoice:
    """Build a choice from `host` ("" to keep each provider's own) and entries such as `aws=hashicorp/aws`.

    Raises ValueError with the entry and what is wrong with it.
    """
    legacy: dict[str, LegacySource] = {}
    said: dict[str, str] = {}
    for entry in entries:
        type_, source = _parse_entry(entry)
        if legacy.setdefault(type_, source) != source:
            raise ValueError(f"{entry}: the type {type_} already has another source: {said[type_]}")
        said.setdefault(type_, entry)
        if host and source.host in PUBLIC_HOSTS and source.host != host:
            raise ValueError(f"{entry}: all providers come from {host}; omit the host from the source")
    return SourceChoice(host, legacy)


def _parse_entry(entry: str) -> tuple[str, LegacySource]:
    type_, equals, text = entry.partition("=")
    if not equals:
        raise ValueError(f"{entry or 'the entry is empty'}: {_FORM}")
    if not type_:
        raise ValueError(f"{entry}: no type before the =; {_FORM}")
    if not is_identifier(type_):
        raise ValueError(f"{entry}: {type_!r} is not a valid provider type; {_FORM}")
    if not text:
        raise ValueError(f"{entry}: no source after the =; {_FORM}")
    parts = text.split("/")
    if len(parts) == 1:
        raise ValueError(f"{entry}: the source has no namespace; {_FORM}")
    if len(parts) > 3 or "" in parts:
        raise ValueError(f"{entry}: invalid source; {_FORM}")
    if parts[-2] == LEGACY_NAMESPACE:
        raise ValueError(f"{entry}: the namespace - does not identify a source; {_FORM}")
    provider = _parse_source(entry, text, parts)
    host = provider.hostname if len(parts) == 3 else ""
    normal = str(provider) if host else f"{provider.namespace}/{provider.type}"
    if text != normal:
        raise ValueError(f"{entry}: the source is not in normal form; write {type_}={normal}")
    if host == BUILTIN_HOST and not provider.is_builtin:
        raise ValueError(f"{entry}: {BUILTIN_HOST} has only built-in providers, not {normal}")
    return type_, LegacySource(host, provider.namespace, provider.type)


def _parse_source(entry: str, text: str, parts: Sequence[str]) -> Provider:
    """Parse the provider. Raises ValueError that names the invalid part; OpenTofu's own errors confuse the parts."""
    for part, name in zip(parts[-2:], ("namespace", "type"), strict=True):
        try:
            normalize_provider_part(part)
        except ValueError as error:
            raise ValueError(f"{entry}: the {name} {part!r} is not valid: {error}") from None
    try:
        hostname_for_comparison(parts[0] if len(parts) == 3 else DEFAULT_HOST)
    except HostnameError as error:
        raise ValueError(f"{entry}: the host {parts[0]!r} is not valid: {error}") from None
    try:
        return parse_provider_source(text)
    except AddressError as error:
        raise ValueError(f"{entry}: {' '.join(error.detail.split())}") from None
