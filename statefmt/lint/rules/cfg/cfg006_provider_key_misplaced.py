r"""A provider reference has an unexpected key, or lacks one

## What it does
Reports, with `--config`, an instance key on a provider configuration without `for_each`, a reference without a key
to a configuration with `for_each`, and keys on the left side in the `providers` of a module. A call of a provider
function cannot have a key, so that it cannot name a configuration with `for_each`.

## Why is this bad?
OpenTofu refuses the configuration. A reference always names one instance; a collection of instances cannot be
passed to a module.

## Example
```hcl
resource "aws_vpc" "main" {
  provider = aws.by_region # has for_each, so this needs a key
}
```

## What to do
Add the key (`aws.by_region[each.key]`), or remove it. Call a provider function in a module that is passed one instance
(`providers = { aws = aws.by_region["eu-west-1"] }`), or through a configuration without `for_each`.
"""

from collections.abc import Iterable

from statefmt.configuration.model import Declarations
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.configuration.provider_reference import ProviderReference, read_provider_reference
from statefmt.hcl.source import Problem, Range
from statefmt.hcl.syntax import Expression
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.addrs import ConfigResource
from statefmt.model.findings import Code, Finding

_NO_FOR_EACH = "An instance key can be specified only for a provider configuration that uses for_each."
_NO_KEY = (
    "A reference to a provider configuration which uses for_each requires an instance key. Passing a collection of "
    "provider instances into a child module is not allowed."
)
_LEFT = "Instance keys are not allowed on the left side of a provider configuration assignment."


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for path, module in references.configuration.modules.items():
        declared = module.declarations
        for block in declared.resources:
            if block.provider is not None:
                address = str(ConfigResource(path, block.address))
                yield from _of_reference(declared, block.provider.expression, "resource", address)
        for call in declared.calls.values():
            address = str(path.child(call.name))
            for pair in call.providers or ():
                child = read_provider_reference(pair.child, "providers")
                if isinstance(child, ProviderReference) and child.key is not None:
                    yield _finding("module", _LEFT, address, child.key_range)
                yield from _of_reference(declared, pair.parent, "module", address)
    for path, use in references.uses():
        bound = references.use_binding(path, use)
        if not use.is_function or isinstance(bound, Problem) or bound[0].key is not None:
            continue
        declaration = references.tree.declared.get(bound[0].config)
        if declaration is not None and declaration.for_each is not None:
            detail = f"{use.user} is a function of {bound[0].config}, which has for_each; a function cannot name a key."
            summary, where = "Uninitialized function provider", place(use.range)
            yield Code.PROVIDER_KEY_MISPLACED.finding(summary, detail, str(path), place=where)


def _of_reference(declared: Declarations, expression: Expression, kind: str, address: str) -> Iterable[Finding]:
    """Yield the problems of one reference. Source: OpenTofu `internal/configs/resource.go`, InstanceValidation."""
    reference = read_provider_reference(expression)
    if isinstance(reference, Problem):
        return
    name, alias = reference.local.local_name, reference.local.alias
    block = declared.providers.get((name, alias))
    keyed = block is not None and block.for_each is not None
    if reference.key is None:
        if keyed:
            yield _finding(kind, _NO_KEY, address, reference.range)
    elif not keyed and (block is None or block.is_empty):
        # To OpenTofu, an empty block declares nothing.
        detail = (
            f'This module doesn\'t declare a provider "{name}" block with alias = "{alias}", which is required for use '
            "with for_each."
        )
        yield _finding(kind, detail, address, reference.range)
    elif not keyed:
        yield _finding(kind, _NO_FOR_EACH, address, reference.key_range)


def _finding(kind: str, detail: str, address: str, range_: Range | None) -> Finding:
    summary = f"Invalid {kind} provider configuration"
    return Code.PROVIDER_KEY_MISPLACED.finding(summary, detail, address, place=place(range_))


RULE = Rule(Code.PROVIDER_KEY_MISPLACED, check_configuration=_check)
