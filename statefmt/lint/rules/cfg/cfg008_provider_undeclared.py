r"""A resource names a provider configuration that does not exist

## What it does
Reports, with `--config`, a `resource`, `data` or `ephemeral` block, or an import for which OpenTofu is to generate
a resource block, whose provider configuration is neither declared by a `provider` block nor passed by a caller of
its module.

## Why is this bad?
The next plan fails with "Provider configuration not present". A module never inherits a configuration with an
alias: the module call must pass it in `providers`.

## Example
```hcl
resource "aws_vpc" "main" {
  provider = aws.wset
}
```

## What to do
Correct the name, add the `provider` block, or pass the configuration to the module.
"""

from collections.abc import Iterable

from statefmt.configuration.providers.imports import generating_imports
from statefmt.configuration.providers.references import ProviderReferences
from statefmt.configuration.providers.tree import not_present
from statefmt.hcl.source.problem import Problem, ProblemKind
from statefmt.lint.configurations.place import place
from statefmt.lint.rule import Rule
from statefmt.model.addrs import ConfigResource
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for resource in references.blocks:
        found = references.block_binding(resource)
        if isinstance(found, Problem) and found.kind is ProblemKind.NO_PROVIDER:
            yield _finding(resource, found)
    for target, reference in generating_imports(references.configuration):
        if references.tree.resolve(target.module, reference.local) is None:
            yield _finding(target, not_present(f"The import of {target}", target.module, reference))


def _finding(address: ConfigResource, found: Problem) -> Finding:
    where = place(found.range)
    return Code.PROVIDER_UNDECLARED.finding(found.summary, found.detail, str(address), place=where)


RULE = Rule(Code.PROVIDER_UNDECLARED, check_configuration=_check)
