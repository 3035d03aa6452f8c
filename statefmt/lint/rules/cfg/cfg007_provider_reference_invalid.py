r"""A provider argument is not a provider reference

## What it does
Reports, with `--config`, a `provider` argument or an entry of `providers` that is not a name with an optional alias
and key: a quoted string, a variable as the alias (`aws[local.x][each.key]`), a function, a key without an alias
(`aws[each.key]`). It also reports names that no provider can have (`my_provider`), and local values that refer to a
provider configuration (`p = aws.by_region["us"]`): OpenTofu takes that for a resource.

## Why is this bad?
OpenTofu refuses the configuration. It must know the provider configuration before it evaluates anything; only the
instance key can depend on values.

## Example
```hcl
resource "aws_vpc" "main" {
  provider = aws[local.alias][each.key]
}
```

## What to do
Write out the name of the configuration (`aws.by_region[each.key]`).
"""

from collections.abc import Iterable

from statefmt.configuration.model import Declarations
from statefmt.configuration.provider_checks import import_target
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.configuration.provider_reference import read_provider_reference
from statefmt.hcl.source import Problem
from statefmt.hcl.syntax import AttributeAccess, Expression, references
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.addrs import ConfigResource, Module
from statefmt.model.findings import Code, Finding


def _check(found: ProviderReferences) -> Iterable[Finding]:
    for path, module in found.configuration.modules.items():
        for block in module.declarations.resources:
            if block.provider is not None:
                yield from _of(block.provider.expression, "provider", str(ConfigResource(path, block.address)))
        for imported in module.declarations.imports:
            if imported.provider is not None:
                yield from _of(imported.provider.expression, "provider", str(import_target(imported) or path))
        for use in module.declarations.uses:
            if use.provider is not None:
                yield from _of(use.provider.expression, "provider", ".".join(filter(None, (str(path), use.user))))
        for call in module.declarations.calls.values():
            for pair in call.providers or ():
                for expression in (pair.child, pair.parent):
                    yield from _of(expression, "providers", str(path.child(call.name)))

        yield from _of_locals(path, module.declarations)


def _of_locals(path: Module, declared: Declarations) -> Iterable[Finding]:
    """Yield the local values that refer to a provider configuration: a provider is no value."""
    resources = {(block.type, block.name) for block in declared.resources}
    for local in declared.locals.values():
        for reference in references(local.expression):
            step = reference.steps[0] if reference.steps else None
            if not isinstance(step, AttributeAccess):
                continue
            name = reference.root, step.name
            if name in declared.providers and name not in resources:
                detail = (
                    f'A managed resource "{name[0]}" "{name[1]}" has not been declared in {path or "the root module"}. '
                    "It is a provider configuration, which only the arguments provider and providers can name."
                )
                address = ".".join(filter(None, (str(path), f"local.{local.name}")))
                yield Code.PROVIDER_REFERENCE_INVALID.finding(
                    "Reference to undeclared resource", detail, address, place=place(reference.range)
                )


def _of(expression: Expression, argument: str, address: str) -> Iterable[Finding]:
    found = read_provider_reference(expression, argument)
    if isinstance(found, Problem):
        yield Code.PROVIDER_REFERENCE_INVALID.finding(found.summary, found.detail, address, place=place(found.range))


RULE = Rule(Code.PROVIDER_REFERENCE_INVALID, check_configuration=_check)
