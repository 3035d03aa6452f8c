r"""A module is not passed the provider configurations that it needs

## What it does
Reports, with `--config`, mismatches between the `providers` of a module call and the declarations of the module:
- an alias that the module requires but is not passed;
- a configuration that the module declares itself and is passed as well;
- a configuration of another provider;
- a name that is not declared anywhere;
- `provider` blocks in a module that is repeated;
- empty `provider` blocks.

## Why is this bad?
OpenTofu refuses the configuration, or uses another provider configuration than intended. If OpenTofu only warns,
the finding is a warning.

## Example
```hcl
module "network" {
  source = "./network" # its required_providers has configuration_aliases = [aws.west]
}
```

## What to do
Pass what the module declares, under its name in the module:
`providers = { aws.west = aws.by_region["us-west-2"] }`.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_checks import passing_problems
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for module, found in passing_problems(references.configuration):
        where = place(found.range)
        yield Finding(Code.PROVIDER_PASSING, found.severity, found.summary, found.detail, str(module), place=where)


RULE = Rule(Code.PROVIDER_PASSING, check_configuration=_check)
