r"""The for_each or count of a resource or module may be unknown

## What it does
Reports, with `--config`, a `for_each` whose keys, or a `count` that depends on an attribute of a resource that the
block of the resource does not set. Providers determine many of these only during an apply.

## Why is this bad?
OpenTofu and Terraform must know all keys in a plan. They refuse every plan until the other resource exists, so that
the configuration cannot create both: not in a new workspace, and not after the resource was replaced.

## Example
```hcl
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
}

resource "aws_flow_log" "all" {
  for_each = toset([aws_vpc.main.id])
  vpc_id   = each.value
}
```

## What to do
Use keys that the configuration determines, and attributes as values: `for_each = { main = aws_vpc.main.id }`.
"""

from collections.abc import Iterable, Iterator

from statefmt.configuration.model import Configuration, Declarations
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.hcl.source import Range
from statefmt.hcl.syntax import AttributeAccess, Expression, Traversal, references as names_in
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.addrs import Resource, ResourceMode
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    unlisted = [each for each in references.instances.unlisted() if each[2].problem is None]
    read = _references(references.configuration) if unlisted else {}
    for address, repetition, reason in unlisted:
        found = read.get(reason.range)
        if found is not None and (attribute := _undetermined_attribute(*found)):
            name, what = ("count", "value depends") if repetition.for_each is None else ("for_each", "keys depend")
            yield Code.INSTANCE_KEYS_UNKNOWN.finding(
                f"Invalid {name} argument",
                f"The {what} on {attribute}, which its block does not set. If the provider determines it during an "
                "apply, OpenTofu refuses every plan until the object exists.",
                address,
                fix="Use keys that the configuration determines; the values of a map may be attributes of resources.",
                place=place(reason.range),
            )


def _references(configuration: Configuration) -> dict[Range | None, tuple[Declarations, Traversal]]:
    """Return the references of all repetitions, local values and arguments of module calls, by their ranges."""
    found: dict[Range | None, tuple[Declarations, Traversal]] = {}
    for module in configuration.modules.values():
        declared = module.declarations
        for expression in _expressions(declared):
            found.update((reference.range, (declared, reference)) for reference in names_in(expression))
    return found


def _expressions(declared: Declarations) -> Iterator[Expression]:
    for local in declared.locals.values():
        yield local.expression
    calls = declared.calls.values()
    for repetition in (*(block.repetition for block in declared.resources), *(call.repetition for call in calls)):
        for argument in (repetition.for_each, repetition.count):
            if argument is not None:
                yield argument.expression
    for call in calls:
        yield from (argument.expression for argument in call.arguments.values())


def _undetermined_attribute(declared: Declarations, reference: Traversal) -> str:
    """Return the attribute of a managed resource that a reference reads, if its block does not set it, else ""."""
    names = [step.name for step in reference.steps if isinstance(step, AttributeAccess)]
    if len(names) < 2:
        return ""
    address = Resource(ResourceMode.MANAGED, reference.root, names[0])
    body = next((block.body for block in declared.resources if block.address == address), None)
    if body is None or names[1] in body.names() or {names[1], "dynamic"} & set(body.block_types()):
        return ""
    return f"{address}.{names[1]}"


RULE = Rule(Code.INSTANCE_KEYS_UNKNOWN, check_configuration=_check)
