r"""The for_each or count of a resource or module is invalid

## What it does
Reports, with `--config`, a `for_each` of a resource or module that is neither a map nor a set of strings, or is null,
sensitive or ephemeral, and a `count` or `enabled` that is invalid, as far as the value is known.

## Why is this bad?
OpenTofu and Terraform refuse the configuration.

## Example
```hcl
variable "tenants" {
  type      = set(string)
  ephemeral = true
}

resource "aws_sqs_queue" "jobs" {
  for_each = var.tenants
}
```

## What to do
Use a map or a set of strings (`toset`) that may be stored in the state. The values of a map may be ephemeral or
sensitive; its keys may not.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.configurations import problem_finding
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for address, _, reason in references.instances.unlisted():
        if reason.problem is not None:
            yield problem_finding(Code.INSTANCE_KEYS_INVALID, reason.problem, address)


RULE = Rule(Code.INSTANCE_KEYS_INVALID, check_configuration=_check)
