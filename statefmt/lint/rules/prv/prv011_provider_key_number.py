r"""A provider key is a number

## What it does
Reports a provider address that ends with a number as the key of the provider instance.

## Why is this bad?
A `provider` block has `for_each` and no `count`, so the keys of its instances are strings: no configuration has the
instance `by_region[0]`, and `by_region["0"]` is another one. The next plan can neither refresh nor destroy the objects.
OpenTofu reads the state without a message, so this is a warning.

## Example
```json
"provider": "provider[\"registry.opentofu.org/hashicorp/aws\"].by_region[0]"
```

## What to do
Bind the objects to an instance that the configuration has, such as
`statetool rebind 'aws_vpc.main["b"]' 'provider["registry.opentofu.org/hashicorp/aws"].by_region["us-west-2"]'`, with
`--new-provider` if nothing in the state is bound to it yet.
"""

from collections.abc import Iterable

from statefmt.lint.provider_addresses import provider_of_instance, providers
from statefmt.lint.rule import Rule
from statefmt.lint.subject import ObjectPart, Subject
from statefmt.model.addrs import AbsProviderInstance, IntKey
from statefmt.model.findings import Code, Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    if not any(isinstance(provider.key, IntKey) for provider in providers(subject)):
        return
    for part in subject.objects:
        provider = provider_of_instance(part.document.provider) if part.document.provider else None
        if provider is not None and isinstance(provider.key, IntKey):
            yield _finding(subject, part, provider)


def _finding(subject: Subject, part: ObjectPart, provider: AbsProviderInstance) -> Finding:
    which = f"the deposed object {part.document.deposed}" if part.document.deposed else "the object"
    rebind = subject.command_on("rebind", part.address, f'{provider.config}["KEY"]', "--new-provider")
    return Code.PROVIDER_KEY_NUMBER.finding(
        "Provider key is a number",
        f"{provider} is the provider of {which} of {part.address}, but the keys of provider instances are strings.",
        part.address,
        f"{part.pointer}/provider",
        Fix.of("Using the key of the right provider instance: ", rebind, "."),
    )


RULE = Rule(Code.PROVIDER_KEY_NUMBER, _check)
