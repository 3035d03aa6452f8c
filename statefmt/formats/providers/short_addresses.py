"""Tells provider addresses that name only a type, in the form before Terraform 0.13, from those with a source.

Canonical form replaces `provider.aws` by `provider["registry.opentofu.org/-/aws"]`. OpenTofu reads both alike;
Terraform reads the former, and silently drops resources with the latter.
"""

from __future__ import annotations

from collections import Counter

from statefmt.formats.versions.v4 import StateV4
from statefmt.model.addrs import Provider, parse_legacy_provider_config
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


def full_sources(document: StateV4) -> list[Provider]:
    """Return the providers of resources and instances whose address has a source, without built-in ones."""
    resources = [resource for resource in document.resources or () if resource]
    texts = [resource.provider for resource in resources]
    texts += [obj.provider for resource in resources for obj in resource.instances or () if obj]
    found = [read_instance(text) for text in dict.fromkeys(texts) if text]
    providers = dict.fromkeys(each.config.provider for each in found if not isinstance(each, Unreadable))
    return [provider for provider in providers if not (provider.is_legacy or provider.is_builtin)]
