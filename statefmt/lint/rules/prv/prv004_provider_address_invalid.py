r"""A provider address is invalid

## What it does
Reports a `provider`, at either level, that is not a provider configuration address.

## Why is this bad?
OpenTofu refuses to read the state. OpenTofu 1.8 silently drops the resource.

Terraform reads one kind of these addresses, `provider["registry.terraform.io/-/aws"]`, and writes it when it edits a
state from before 0.13, where providers are known by their type only. statetool reads it, too, with a warning.

## Example
```json
"provider": "provider[\"a/b/c/d\"]"
```

## What to do
Correct the address with `statetool repair`: `provider["HOST/NAMESPACE/TYPE"]`, with `.ALIAS` if it has one, and on an
instance `.ALIAS["KEY"]`. For Terraform's `registry.terraform.io/-/aws`, set the source with
`statetool replace-provider registry.terraform.io/-/aws hashicorp/aws`.
"""

from statefmt.formats.providers import KNOWN_TYPES
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs.provider import DEFAULT_NAMESPACE, LEGACY_NAMESPACE
from statefmt.model.findings import Code, Command, Fix


def _fix(subject: Subject) -> Fix:
    snapshot = subject.inspection.in_terraform
    if snapshot is None:
        return subject.repairing()
    configs = [resource.provider_config for resource in snapshot.resources]
    providers = {config.provider for config in configs if config is not None}
    commands: list[str | Command | Fix] = []
    for old in sorted(provider for provider in map(str, providers) if f"/{LEGACY_NAMESPACE}/" in provider):
        type_ = old.rpartition("/")[2]
        namespace = DEFAULT_NAMESPACE if type_ in KNOWN_TYPES else "NAMESPACE"
        command = subject.command("replace-provider", old, f"{namespace}/{type_}", mends=True)
        commands += [", and " if commands else "", command]
    return Fix.of("Only Terraform reads this. Set the source, as in required_providers: ", *commands, ".")


RULE = Rule(Code.PROVIDER_ADDRESS_INVALID, fix=_fix)
