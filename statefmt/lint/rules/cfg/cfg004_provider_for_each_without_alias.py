r"""A provider block has for_each but no alias

## What it does
Reports, with `--config`, a `provider` block with `for_each` that has no `alias`.

## Why is this bad?
OpenTofu refuses the configuration. A block without `alias` is the default configuration, which resources and
modules use without naming it, so it cannot have several instances.

## Example
```hcl
provider "aws" {
  for_each = toset(["eu-west-1"])
}
```

## What to do
Add an alias that describes the keys (`by_region`), and name it in every resource and module.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.configurations import place, provider_blocks
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for block in provider_blocks(references.configuration):
        if block.for_each is not None and not block.alias:
            yield Code.PROVIDER_FOR_EACH_WITHOUT_ALIAS.finding(
                'Alias required when using "for_each"',
                "The for_each argument is allowed only for provider configurations with an alias.",
                fix='Add an alias: `alias = "by_key"`.',
                place=place(block.for_each.expression.range),
            )


RULE = Rule(Code.PROVIDER_FOR_EACH_WITHOUT_ALIAS, check_configuration=_check)
