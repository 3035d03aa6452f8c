"""The configuration is a module for others to call

## What it does
Reports, with `--config`, a directory whose `required_providers` has `configuration_aliases` that no `provider` block
configures, and that has no `backend` or `cloud` block. Such a module expects provider configurations from its caller.

## Why is this bad?
It is not: the rule says what statetool assumes. It checks everything in the module but takes these configurations as
passed. A plan in this directory fails with "Provider configuration not present", and a state does not belong to it.

## Example
```hcl
terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.west]
    }
  }
}
```

## What to do
To check the module alone, use `--no-state`. To compare a state with the configuration, give the directory of the root
module that calls this one. If this is a root module, replace `configuration_aliases` by `provider` blocks.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    expected = references.tree.expected.values()
    if expected:
        names = ", ".join(map(str, expected))
        required = references.configuration.root.declarations.required_providers
        yield Code.MODULE_WITHOUT_CALLER.finding(
            "Module without a caller",
            f"This module expects provider configurations from its caller, and they are taken as passed: {names}.",
            fix="To compare a state with the configuration, give the directory of the root module that calls this one.",
            place=place(min(required[local.local_name].range for local in expected)),
        )


RULE = Rule(Code.MODULE_WITHOUT_CALLER, check_configuration=_check)
