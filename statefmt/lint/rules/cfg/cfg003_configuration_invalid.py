r"""A declaration in a configuration is invalid

## What it does
Reports, with `--config`, invalid blocks and arguments, duplicate declarations, and values of input variables that
OpenTofu would refuse.

## Why is this bad?
OpenTofu refuses the configuration.

## Example
```hcl
provider "aws" {
  alias = "west"
}
provider "aws" {
  alias = "west"
}
```

## What to do
Correct it; `tofu validate` shows more.
"""

from collections.abc import Iterable

from statefmt.configuration.providers.references import ProviderReferences
from statefmt.hcl.source.problem import ProblemKind
from statefmt.lint.configurations.problems import problems_of
from statefmt.lint.rule import Rule
from statefmt.model.codes import Code
from statefmt.model.findings import Finding

_KINDS = (ProblemKind.BLOCK, ProblemKind.DUPLICATE, ProblemKind.VARIABLE, ProblemKind.EVALUATION)


def _check(references: ProviderReferences) -> Iterable[Finding]:
    return problems_of(references, _KINDS, Code.CONFIGURATION_INVALID)


RULE = Rule(Code.CONFIGURATION_INVALID, check_configuration=_check)
