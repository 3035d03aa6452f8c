r"""A provider is named only by its type

## What it does
Reports a provider address from before Terraform 0.13: `provider.aws`, or one with the namespace `-`. There is one
finding for each resource and address. `provider.terraform` is not reported: it can only mean the built-in provider.

## Why is this bad?
The address does not say where the provider comes from, so `init` looks for a provider of that type in the namespace
`hashicorp`, or fails. OpenTofu reads such a state, so this is a warning. Terraform reads `provider.aws`, but silently
drops every resource whose address has the host `registry.opentofu.org` and the namespace `-`.

## Example
```json
{"type": "aws_vpc", "name": "main", "provider": "provider[\"registry.opentofu.org/-/aws\"]"}
```

## What to do
Set the source that the configuration has in `required_providers`. For HashiCorp's own providers, name the engine that
will read the state: `statetool fmt --registry opentofu` or `statetool fmt --registry terraform`. For others, add
`--legacy-provider acme=acme-corp/acme`. Use `statetool upgrade` with the same options for older formats; it also finds
the sources itself in `.terraform.lock.hcl` beside the state, or in the configuration with `--config DIR`.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from statefmt.formats.providers import KNOWN_TYPES
from statefmt.lint.provider_addresses import places
from statefmt.lint.rule import Mend, Mending, Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.findings import Code, Finding, Fix
from statefmt.model.snapshot import ResourceState, Snapshot


def _check(subject: Subject) -> Iterable[Finding]:
    # One fix for all findings about a type: there may be very many.
    fixes: dict[str, Fix] = {}
    for place in places(subject, _is_legacy):
        type_ = place.provider.config.provider.type
        if type_ not in fixes:
            fixes[type_] = _fix(subject, type_)
        where = "" if place.instance is None else " on an instance"
        yield Code.PROVIDER_LEGACY.finding(
            "Legacy provider address",
            f"Resource {place.resource.address} has the provider address {place.text}{where}, which names the type "
            f'"{type_}" but not where the provider comes from.',
            place.resource.address,
            place.pointer,
            fixes[type_],
        )


def _is_legacy(provider: AbsProviderInstance) -> bool:
    return provider.config.provider.is_legacy


def _fix(subject: Subject, type_: str) -> Fix:
    source = f"hashicorp/{type_}" if type_ in KNOWN_TYPES else f"NAMESPACE/{type_}"
    command = subject.rewriting("--legacy-provider", f"{type_}={source}", mends=True)
    return Fix.of("Set its source, as in required_providers: ", command, ".")


def _mended(mending: Mending) -> Snapshot:
    def mended(resource: ResourceState) -> ResourceState:
        config = resource.provider_config
        if config is None or not config.provider.is_legacy or config.provider.type not in mending.sources.legacy:
            return resource
        source = mending.sources.source_of(config.provider)
        return resource if source is None else replace(resource, provider_config=replace(config, provider=source))

    return mending.with_resources(mended)


RULE = Rule(
    Code.PROVIDER_LEGACY,
    _check,
    mend=Mend(
        "sets the source, if `--config DIR` names a configuration that has one for the type.",
        _mended,
        needs_sources=True,
    ),
)
