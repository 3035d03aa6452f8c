r"""A configuration file cannot be read

## What it does
Reports, with `--config`, files and directories that cannot be read, and syntax errors in HCL and `.json` files.

## Why is this bad?
OpenTofu refuses the configuration. statetool does not see the contents of such a file either, so it does not report
anything as missing from that module.

## Example
```hcl
provider "aws" {
  alias = "west
}
```

## What to do
Correct the file; `tofu validate` shows more.
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
