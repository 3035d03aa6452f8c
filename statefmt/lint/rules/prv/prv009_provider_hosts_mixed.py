r"""Providers come from both registries

## What it does
Reports a state with providers from both `registry.terraform.io` and `registry.opentofu.org`. There is one finding
for the whole file; it names the providers that come from both. Other registries, and addresses without a source,
are ignored.

## Why is this bad?
To OpenTofu and Terraform these are different providers. They install both, each with its own configuration, and
plan a resource under the wrong one with a provider that the configuration no longer has. An interrupted migration
leaves such a state behind. It can be read, and some configurations intend it, so this is a warning.

## Example
```json
{"type": "aws_vpc", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]"},
{"type": "aws_vpc", "name": "b", "provider": "provider[\"registry.opentofu.org/hashicorp/aws\"]"}
```

## What to do
Choose one registry for all providers: `statetool fmt --registry opentofu` or `statetool fmt --registry terraform`.
To move single providers:
`statetool replace-provider registry.terraform.io/hashicorp/aws registry.opentofu.org/hashicorp/aws`.
"""

from collections.abc import Iterable

import msgspec

from statefmt.lint.provider_addresses import NamedProvider, places, providers
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST, Provider
from statefmt.model.findings import Code, Finding, Fix

# The values of the option --registry.
_REGISTRIES = {TERRAFORM_HOST: "terraform", DEFAULT_HOST: "opentofu"}
_SHOWN = 5


def _check(subject: Subject) -> Iterable[Finding]:
    named = {provider.config.provider for provider in providers(subject) if _counts(provider)}
    if len({provider.hostname for provider in named}) < 2:
        return
    resources: dict[str, dict[str, NamedProvider]] = {host: {} for host in _REGISTRIES}
    for place in places(subject, _counts):
        resources[place.provider.config.provider.hostname].setdefault(place.resource.address, place)
    rare, usual = sorted(_REGISTRIES, key=lambda host: len(resources[host]))
    counts = " and ".join(
        f"{len(found)} with providers from {host} (such as {next(iter(found))})" for host, found in resources.items()
    )
    yield Code.PROVIDER_HOSTS_MIXED.finding(
        "Providers from both registries",
        f"The state has resources from both registries: {counts}.{_in_both(named)}",
        pointer=next(iter(resources[rare].values())).pointer,
        fix=Fix.of(f"To use {usual} for all: ", subject.rewriting("--registry", _REGISTRIES[usual]), "."),
    )


def _counts(provider: AbsProviderInstance) -> bool:
    source = provider.config.provider
    return source.hostname in _REGISTRIES and not source.is_legacy


def _in_both(named: set[Provider]) -> str:
    twice = sorted(
        f"{provider.namespace}/{provider.type}"
        for provider in named
        if provider.hostname == TERRAFORM_HOST and msgspec.structs.replace(provider, hostname=DEFAULT_HOST) in named
    )
    return f" Providers used from both: {_listed(twice)}." if twice else ""


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


RULE = Rule(Code.PROVIDER_HOSTS_MIXED, _check)
