r"""A module of a configuration cannot be read

## What it does
Reports, with `--config`, a `module` block whose module does not exist: a missing directory, or a module from a
registry or a repository that is not installed. It also reports modules that call themselves.

## Why is this bad?
statetool cannot know which resources the module has and which providers they need.

## Example
```hcl
module "network" {
  source = "./modules/netwrok"
}
```

## What to do
Correct the source, or run `tofu get`, which installs modules without credentials for providers.
"""

from collections.abc import Iterable

from statefmt.configuration.providers.references import ProviderReferences
from statefmt.hcl.source.problem import ProblemKind
from statefmt.lint.configurations.problems import problems_of
from statefmt.lint.rule import Rule
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    return problems_of(references, (ProblemKind.MODULE,), Code.CONFIGURATION_MODULE_MISSING)


RULE = Rule(Code.CONFIGURATION_MODULE_MISSING, check_configuration=_check)
