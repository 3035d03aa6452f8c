r"""Providers come from both registries

## What it does
Reports, once for the file, a state with providers from `registry.terraform.io` and from `registry.opentofu.org`. It
says so especially where one provider comes from both. Addresses that name no source, and other registries, don't
count.

## Why is this bad?
To OpenTofu and Terraform these are different providers: both are installed, each with its own configuration, and a
resource under the wrong one is planned with a provider that the configuration no longer has. It is what a migration
leaves behind that stopped half-way. The state can be read, and some configurations mean it: a warning.

## Example
```json
{"type": "aws_vpc", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]"},
{"type": "aws_vpc", "name": "b", "provider": "provider[\"registry.opentofu.org/hashicorp/aws\"]"}
```

## What to do
Choose one for all: `statetool fmt --registry opentofu` or `statetool fmt --registry terraform`. To move single
providers: `statetool replace-provider registry.terraform.io/hashicorp/aws registry.opentofu.org/hashicorp/aws`.
"""

from collections.abc import Iterable

import msgspec

from statefmt.lint.rule import Rule
from statefmt.lint.states.provider_addresses import NamedProvider, places, providers
from statefmt.lint.subject import Subject
from statefmt.model.addrs import (
    DEFAULT_HOST,
    TERRAFORM_HOST,
    AbsProviderInstance,
    Provider,
)
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix

# As the option --registry names them.
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
        f"{len(found)} with providers from {host} (as {next(iter(found))})" for host, found in resources.items()
    )
    yield Code.PROVIDER_HOSTS_MIXED.finding(
        "Providers from both registries",
        f"Of the resources in the state there are {counts}.{_in_both(named)}",
        pointer=next(iter(resources[rare].values())).pointer,
        fix=Fix.of(f"To have all from {usual}: ", subject.rewriting("--registry", _REGISTRIES[usual]), "."),
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
    return f" From both come {_listed(twice)}: one provider under two names." if twice else ""


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


RULE = Rule(Code.PROVIDER_HOSTS_MIXED, _check)
