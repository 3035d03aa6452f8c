"""Tells provider addresses that name only a type, in the form before Terraform 0.13, from those with a source.

Canonical form replaces `provider.aws` by `provider["registry.opentofu.org/-/aws"]`. OpenTofu reads both alike;
Terraform reads the former, and silently drops resources with the latter.
"""

from __future__ import annotations

from collections import Counter

from statefmt.formats.versions.v4 import StateV4
from statefmt.model.addrs import TERRAFORM_HOST, Provider, parse_legacy_provider_config
from statefmt.model.addrs.provider import LEGACY_NAMESPACE
from statefmt.model.errors import AddressError
from statefmt.model.provider_text import Unreadable, read_instance


def short_addresses(document: StateV4) -> Counter[str]:
    """Return the number of resources by provider type, without those of the built-in provider."""
    texts = Counter(resource.provider for resource in document.resources or () if resource and resource.provider)
    types: Counter[str] = Counter()
    for text, count in texts.items():
        try:
            provider = parse_legacy_provider_config(text).provider
        except AddressError:
            continue
        if provider.namespace == LEGACY_NAMESPACE:
            types[provider.type] += count
    return types


def types_without_source(document: StateV4) -> Counter[str]:
    """Like short_addresses(), with Terraform's own form of these addresses, `registry.terraform.io/-/aws`."""
    types = short_addresses(document)
    for provider, count in _providers(document).items():
        if provider.namespace == LEGACY_NAMESPACE and provider.hostname == TERRAFORM_HOST:
            types[provider.type] += count
    return types


def full_sources(document: StateV4) -> list[Provider]:
    """Return the providers of resources and instances whose address has a host, without built-in ones.

    Those with Terraform's host and the namespace `-` are included: they say which registry the state uses.
    """
    return [provider for provider in _providers(document) if not (provider.is_legacy or provider.is_builtin)]


def _providers(document: StateV4) -> Counter[Provider]:
    """Return the providers of resources and instances in the current form, with the number of their addresses."""
    resources = [resource for resource in document.resources or () if resource]
    texts = Counter(resource.provider for resource in resources)
    texts.update(obj.provider for resource in resources for obj in resource.instances or () if obj)
    found: Counter[Provider] = Counter()
    for text, count in texts.items():
        read = read_instance(text) if text else None
        address = read.in_terraform if isinstance(read, Unreadable) else read
        if address is not None:
            found[address.config.provider] += count
    return found
