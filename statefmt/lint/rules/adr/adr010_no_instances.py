"""A resource has no instances

## What it does
Reports a resource without a single object.

## Why is this bad?
It is harmless: no real object belongs to the resource, and OpenTofu removes it with the next apply. But if you
expect an instance, it has been lost, so this is information.

## Example
```json
{"mode": "managed", "type": "aws_eip", "name": "nat", "instances": []}
```

## What to do
Nothing; the next `tofu apply` removes it.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject, blocks_by_address
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    if all(resource.document.instances for resource in subject.resources):
        return
    for address, blocks in blocks_by_address(subject).items():
        if not any(block.document.instances for block in blocks):
            yield Code.NO_INSTANCES.finding(
                "Resource without instances",
                f"Resource {address} is in the state, but has no instances.",
                address,
                blocks[0].pointer,
                "No action is needed; the next `tofu apply` removes it.",
            )


RULE = Rule(Code.NO_INSTANCES, _check)
