r"""A file of a configuration cannot be read

## What it does
Reports, with `--config`, a file or a directory that cannot be read, and the places where a file is not what HCL, or in
`.json` files JSON, allows.

## Why is this bad?
OpenTofu does nothing with such a configuration. What stands in the file is not seen here either, so that nothing is
said to be missing in a module that has one.

## Example
```hcl
provider "aws" {
  alias = "west
}
```

## What to do
Correct the file; `tofu validate` tells more.
"""

from collections.abc import Iterable

from statefmt.configuration.providers.references import ProviderReferences
from statefmt.hcl.source.problem import ProblemKind
from statefmt.lint.configurations.problems import problems_of
from statefmt.lint.rule import Rule
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    return problems_of(references, (ProblemKind.UNREADABLE, ProblemKind.SYNTAX), Code.CONFIGURATION_UNREADABLE)


RULE = Rule(Code.CONFIGURATION_UNREADABLE, check_configuration=_check)
