r"""A module has two names for one provider

## What it does
Reports, with `--config`, a provider that `required_providers` lists under two names, or under another name than a
`provider` block or a resource type implies. It also reports resource types that imply an invalid provider name.

## Why is this bad?
The names lead to different configurations. A block `provider "google"` configures nothing for resources that use
the same provider as `google-beta`, and OpenTofu warns about it.

## Example
```hcl
terraform {
  required_providers {
    cloud = {
      source = "hashicorp/aws"
    }
  }
}

resource "aws_vpc" "main" {} # not the provider "cloud"
```

## What to do
Keep one name, preferably the prefix of its resource types, or name the provider in each resource:
`provider = cloud`.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_checks import requirement_problems
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.addrs import ConfigResource
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for module, resource, found in requirement_problems(references.configuration):
        address = str(module if resource is None else ConfigResource(module, resource))
        where = place(found.range)
        yield Finding(Code.PROVIDER_REQUIRED_TWICE, found.severity, found.summary, found.detail, address, place=where)


RULE = Rule(Code.PROVIDER_REQUIRED_TWICE, check_configuration=_check)
