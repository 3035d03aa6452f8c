r"""An import names another provider than the resource

## What it does
Reports, with `--config`, an `import` block with a `provider` that differs from that of the resource block, or with
a `provider` for a resource in a module.

## Why is this bad?
OpenTofu refuses the configuration. The resource block determines the provider of a resource. The `provider` of an
import is only for resources without a block, which OpenTofu is to generate.

## Example
```hcl
import {
  to       = aws_vpc.main
  id       = "vpc-1"
  provider = aws.west
}

resource "aws_vpc" "main" {} # needs `provider = aws.west`
```

## What to do
Set the provider in the resource block, and remove it from the import.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_checks import import_problems
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for target, found in import_problems(references.configuration):
        where = place(found.range)
        yield Code.IMPORT_PROVIDER.finding(found.summary, found.detail, str(target), place=where)


RULE = Rule(Code.IMPORT_PROVIDER, check_configuration=_check)
