r"""A block or function names a provider configuration that does not exist

## What it does
Reports, with `--config`, a block whose provider configuration is neither declared by a `provider` block nor passed by a
caller of its module: `resource`, `data` (also in `check`), `ephemeral`, `import`, and the `action` and `list` blocks of
Terraform. It also reports the functions of providers (`provider::aws::arn_parse`): their provider must be in
`required_providers` of the module.

What a root module names in `configuration_aliases` counts as passed: it is a module for others to call.

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

from statefmt.configuration.provider_checks import import_references
from statefmt.configuration.provider_instances import ProviderReferences, not_present
from statefmt.hcl.source import Problem, ProblemKind
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for resource in references.blocks:
        found = references.block_binding(resource)
        if isinstance(found, Problem) and found.kind is ProblemKind.NO_PROVIDER:
            yield _finding(str(resource), found)
    for target, reference in import_references(references.configuration):
        if references.tree.resolve(target.module, reference.local) is None:
            found = not_present(f"The import of {target}", target.module, reference)
            yield _finding(str(target), found)
    for module, use in references.uses():
        bound = references.use_binding(module, use)
        if isinstance(bound, Problem) and bound.kind is ProblemKind.NO_PROVIDER:
            # A function has no address: it is called in a block.
            yield _finding(str(module) if use.is_function else ".".join(filter(None, (str(module), use.user))), bound)


def _finding(address: str, found: Problem) -> Finding:
    where = place(found.range)
    return Code.PROVIDER_UNDECLARED.finding(found.summary, found.detail, address, place=where)


RULE = Rule(Code.PROVIDER_UNDECLARED, check_configuration=_check)
