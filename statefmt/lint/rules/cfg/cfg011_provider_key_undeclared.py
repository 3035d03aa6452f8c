r"""A resource needs a provider instance that is not declared

## What it does
Reports, with `--config`, a resource or data block with instances whose provider key is not in the `for_each` of the
provider configuration.

## Why is this bad?
The next plan fails with "Provider instance not present", before anything is created.

## Example
```hcl
provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1"])
}

resource "aws_vpc" "main" {
  for_each = toset(["eu-west-1", "us-east-1"])
  provider = aws.by_region[each.key]
}
```

## What to do
Add the key to the `for_each` of the provider, or remove it from that of the resource.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_instances import BlockBinding, ProviderReferences
from statefmt.hcl.source import Problem
from statefmt.hcl.value import Unknown
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, AbsResourceInstance
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for resource in references.blocks:
        binding = references.block_binding(resource)
        addresses = references.instances.all_of(resource)
        if isinstance(binding, Problem) or isinstance(addresses, Unknown) or not binding.has_key:
            continue
        declared = references.declared_keys(binding.config)
        if isinstance(declared, Unknown) or NO_KEY in declared:
            continue
        missing: list[tuple[AbsResourceInstance, AbsProviderInstance]] = []
        for address in addresses:
            provider = references.instance_binding(address)
            if isinstance(provider, AbsProviderInstance) and provider.key not in declared:
                missing.append((address, provider))
        if missing:
            yield _finding(binding, str(resource), missing)


def _finding(
    binding: BlockBinding, resource: str, missing: list[tuple[AbsResourceInstance, AbsProviderInstance]]
) -> Finding:
    address, provider = missing[0]
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return Code.PROVIDER_KEY_UNDECLARED.finding(
        "Provider instance not present",
        f"{address}{more} needs the provider instance {provider}, which is not declared.",
        resource,
        fix="Add the key to the for_each of the provider, or remove it from that of the resource.",
        place=place(binding.range),
    )


RULE = Rule(Code.PROVIDER_KEY_UNDECLARED, check_configuration=_check)
