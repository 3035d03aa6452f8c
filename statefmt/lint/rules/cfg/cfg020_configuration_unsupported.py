"""A release does not support a part of the configuration

## What it does
Reports, with `--config DIR --for RELEASE`, each block, argument, function and reference that the release does not
support, with the first releases that do, and each `required_version` that excludes it. It also warns about files that
the release does not read: Terraform ignores files whose names end with `.tofu`.

Without `--for`, the rule reports only what none of the releases supports that `required_version` admits. OpenTofu 1.12
and later ignore `required_version` in `.tf` files, so that they count as admitted.

## Why is this bad?
The release refuses the whole configuration, or ignores the block without a message: Terraform 1.13 ignores `action`
blocks.

## Example
```hcl
terraform {
  required_version = "~> 1.13.0"
}

action "aws_lambda_invoke" "warm" {} # needs Terraform 1.14
```

## What to do
Use a release that supports it, and exclude the others with `required_version`; or write the configuration without it.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.hcl.source import ProblemKind
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for found in references.configuration.problems:
        if found.kind is ProblemKind.RELEASE:
            where = place(found.range)
            yield Finding(Code.CONFIGURATION_UNSUPPORTED, found.severity, found.summary, found.detail, place=where)


RULE = Rule(Code.CONFIGURATION_UNSUPPORTED, check_configuration=_check)
