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
Choose one, for each provider:
`tofu state replace-provider registry.terraform.io/hashicorp/aws registry.opentofu.org/hashicorp/aws`.
"""

from collections.abc import Iterable

import msgspec

from statefmt import codes
from statefmt.addrs import DEFAULT_HOST, TERRAFORM_HOST, AbsProviderInstance, Provider
from statefmt.diagnostics import Finding, Severity
from statefmt.rules.provider_addresses import NamedProvider, places, providers
from statefmt.rules.rule import Rule
from statefmt.rules.subject import Subject

_HOSTS = (TERRAFORM_HOST, DEFAULT_HOST)
_SHOWN = 5


def _check(subject: Subject) -> Iterable[Finding]:
    named = {provider.config.provider for provider in providers(subject) if _counts(provider)}
    if len({provider.hostname for provider in named}) < 2:
        return
    resources: dict[str, dict[str, NamedProvider]] = {host: {} for host in _HOSTS}
    for place in places(subject, _counts):
        resources[place.provider.config.provider.hostname].setdefault(place.resource.address, place)
    rare, usual = sorted(_HOSTS, key=lambda host: len(resources[host]))
    counts = " and ".join(
        f"{len(found)} with providers from {host} (as {next(iter(found))})" for host, found in resources.items()
    )
    yield Finding(
        codes.PROVIDER_HOSTS_MIXED,
        Severity.WARNING,
        "Providers from both registries",
        f"Of the resources in the state there are {counts}.{_in_both(named)}",
        pointer=next(iter(resources[rare].values())).pointer,
        fix=_fix(sorted(map(str, (provider for provider in named if provider.hostname == rare))), rare, usual),
    )


def _counts(provider: AbsProviderInstance) -> bool:
    source = provider.config.provider
    return source.hostname in _HOSTS and not source.is_legacy


def _in_both(named: set[Provider]) -> str:
    twice = sorted(
        f"{provider.namespace}/{provider.type}"
        for provider in named
        if provider.hostname == TERRAFORM_HOST and msgspec.structs.replace(provider, hostname=DEFAULT_HOST) in named
    )
    return f" From both come {_listed(twice)}: one provider under two names." if twice else ""


def _fix(sources: list[str], rare: str, usual: str) -> str:
    commands = [
        f"`tofu state replace-provider {source} {usual}{source.removeprefix(rare)}`" for source in sources[:_SHOWN]
    ]
    more = f", and so on for {len(sources) - _SHOWN} more" if len(sources) > _SHOWN else ""
    return f"To have all from {usual}: {', '.join(commands)}{more}."


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


RULE = Rule(codes.PROVIDER_HOSTS_MIXED, "provider-hosts-mixed", Severity.WARNING, _check)
