"""Rules about configurations alone (CFG). This module has the rules about problems that reading finds."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.hcl.source import ProblemKind
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding, Place


def _rule(code: Code, kinds: Collection[ProblemKind], page: str) -> Rule:
    return Rule(code, check_configuration=lambda references: _problems(references, kinds, code), page=page)


def _problems(references: ProviderReferences, kinds: Collection[ProblemKind], code: Code) -> Iterable[Finding]:
    """Yield findings for the problems of some kinds; one without a range is about the whole directory."""
    configuration = references.configuration
    whole = Place(file="", line=1, column=1, end_line=1, end_column=1)
    for problem in configuration.problems:
        if problem.kind in kinds:
            found = place(problem.range) or whole
            yield Finding(code, problem.severity, problem.summary, problem.detail, place=found)


RULES: Final = (
    _rule(
        Code.CONFIGURATION_UNREADABLE,
        (ProblemKind.UNREADABLE, ProblemKind.SYNTAX),
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
""",
    ),
    _rule(
        Code.CONFIGURATION_MODULE_MISSING,
        (ProblemKind.MODULE,),
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
""",
    ),
    _rule(
        Code.CONFIGURATION_INVALID,
        (ProblemKind.BLOCK, ProblemKind.DUPLICATE, ProblemKind.VARIABLE, ProblemKind.EVALUATION),
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
""",
    ),
)
