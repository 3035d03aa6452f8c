r"""A provider block has count or another reserved argument

## What it does
Reports, with `--config`, `count`, `depends_on` and `source` in a `provider` block.

## Why is this bad?
OpenTofu refuses the configuration: these names are reserved.

## Example
```hcl
provider "aws" {
  count = 2
}
```

## What to do
Use `for_each` with an `alias` instead of `count`: `for_each = toset(["a", "b"])`.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.configurations import place, provider_blocks
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for block in provider_blocks(references.configuration):
        for argument in block.reserved:
            yield Code.PROVIDER_RESERVED_ARGUMENT.finding(
                "Reserved argument name in provider block",
                f'The provider argument name "{argument.name}" is reserved for use by OpenTofu in a future version.',
                fix="Use for_each with an alias." if argument.name == "count" else "",
                place=place(argument.name_range),
            )


RULE = Rule(Code.PROVIDER_RESERVED_ARGUMENT, check_configuration=_check)
