r"""The provider instance of an object will change

## What it does
Reports, with `--config`, each object of a managed resource for which the configuration names another provider
instance than the state: a key or an alias was changed, or a module is passed another provider. Data sources are
ignored: they are only read again.

## Why is this bad?
OpenTofu does not report it. It looks for the real object through the new provider instance. If that one uses
another region or account, OpenTofu does not find the object, plans to create a second one, and loses the first, so
this is a warning.

## Example
```hcl
resource "aws_vpc" "main" {
  provider = aws.by_region["us-east-1"] # the state says: aws.by_region["eu-west-1"]
}
```

## What to do
If both use the same account and region (for example, an alias was renamed), do nothing, or run `statetool rebind`
to make the change explicit. Otherwise keep the provider of the resource, and create a new resource.
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import Fate, FateKind
from statefmt.lint.remedies import fates_with, finding, name, put_back, rebinding
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import ResourceMode
from statefmt.model.findings import Code, Finding, Fix

_SUMMARY = "Provider instance will change"


def _check(subject: Subject) -> Iterable[Finding]:
    for fate in fates_with(subject, FateKind.REBOUND):
        if fate.address.resource.resource.mode is not ResourceMode.DATA:
            yield _finding(subject, fate)


def _finding(subject: Subject, fate: Fate) -> Finding:
    assert fate.needed is not None
    detail = (
        f"{name(fate)} is bound to {fate.bound} in the state. According to the configuration, the next apply "
        f"{'manages' if fate.declared else 'destroys'} it through {fate.needed}."
    )
    range_ = fate.binding.range if fate.binding else None
    command = rebinding(subject, fate, fate.needed)
    again = put_back(subject, fate.bound)
    if command is not None:
        fix = Fix.of("If both use the same account and region: ", command, ".")
    else:
        fix = Fix.of(
            "All instances of a resource must move to another provider configuration together, and it does not have "
            "a provider instance for each."
        )
    if not _can_be_named(fate):
        return finding(fate, Code.PROVIDER_WILL_CHANGE, _SUMMARY, detail, fix, range_)
    other = f" Otherwise name the one from the state in the configuration{f', and {again.how}:' if again else '.'}"
    fix = Fix.of(fix, other, snippet=again.snippet if again else "")
    return finding(fate, Code.PROVIDER_WILL_CHANGE, _SUMMARY, detail, fix, range_)


def _can_be_named(fate: Fate) -> bool:
    """Whether the state's provider belongs to the object's module or one of its ancestors; a move can change that."""
    names = fate.bound.config.module.names
    return fate.address.module.module().names[: len(names)] == names


RULE = Rule(Code.PROVIDER_WILL_CHANGE, _check)
