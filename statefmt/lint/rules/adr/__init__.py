"""Rules about addresses and identity (ADR), except the longer ones, which are modules of this package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from statefmt.lint.rule import Mend, Rule
from statefmt.lint.subject import Subject, objects_of
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.findings import Code, Finding, Fix

_GAPS_SHOWN = 5
# OpenTofu reads keys as 64-bit floats, and turns numbers from here on into negative numbers.
_TOO_HIGH = 2**63


def _count_keys_gap(subject: Subject) -> Iterable[Finding]:
    if not any(isinstance(part.document.index_key, (int, float)) for part in subject.objects):
        return
    for address, blocks in subject.blocks_by_address.items():
        keys = [obj.index_key for block in blocks for obj in objects_of(block)]
        given = (key for key in keys if (type(key) is int or type(key) is float) and 0 <= key < _TOO_HIGH)
        numbers = {number for key in given if (number := int(float(key))) < _TOO_HIGH}
        if not numbers or len(numbers) == (highest := max(numbers)) + 1:
            continue
        gaps = list(_gaps(numbers))
        more = f" and {len(gaps) - _GAPS_SHOWN} more gaps" if len(gaps) > _GAPS_SHOWN else ""
        missing = ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in gaps[:_GAPS_SHOWN])
        yield Code.COUNT_KEYS_GAP.finding(
            "Gap in the keys of count",
            f"Resource {address} has keys up to {highest}, of which {highest + 1 - len(numbers)} "
            f"{'is' if highest == len(numbers) else 'are'} missing: {missing}{more}.",
            address,
            f"{blocks[0].pointer}/instances",
            Fix.of("To close a gap: ", subject.command("mv", f"{address}[{highest}]", f"{address}[{gaps[0][0]}]"), "."),
        )


def _gaps(numbers: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last number of each gap; a gap may be too long to enumerate."""
    for low, high in pairwise((-1, *sorted(numbers))):
        if high - low > 1:
            yield low + 1, high - 1


def _invalid_identifier(subject: Subject) -> Iterable[Finding]:
    for resource in subject.resources:
        for member, given in (("type", resource.document.type), ("name", resource.document.name)):
            text = given or ""
            # Every Python identifier is an HCL identifier, and this check is much cheaper.
            if text.isidentifier() or is_identifier(text):
                continue
            yield Code.INVALID_IDENTIFIER.finding(
                f"Invalid resource {member}",
                f'Resource {resource.address} has the {member} "{text}", which is not an identifier: use letters, '
                "digits, underscores and dashes, and do not start with a digit or dash.",
                resource.address,
                resource.pointer if given is None else f"{resource.pointer}/{member}",
                subject.repairing(),
            )


def _no_instances(subject: Subject) -> Iterable[Finding]:
    if all(resource.document.instances for resource in subject.resources):
        return
    for address, blocks in subject.blocks_by_address.items():
        if not any(block.document.instances for block in blocks):
            detail = f"Resource {address} is in the state, but has no instances."
            fix = "No action is needed; the next `tofu apply` removes it."
            yield Code.NO_INSTANCES.finding("Resource without instances", detail, address, blocks[0].pointer, fix)


RULES: Final = (
    Rule(
        Code.MODULE_ADDRESS_INVALID,
        fix=Subject.repairing,
        page="""A module address is invalid

## What it does
Reports a `module` that is not a module instance address.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"module": "network"
```

## What to do
Correct the address (`module.network`, `module.network["a"]`) or forget the resource: `statetool repair` shows the
choices.
""",
    ),
    Rule(
        Code.DUPLICATE_INSTANCE,
        fix=Subject.repairing,
        page="""An instance appears twice

## What it does
Reports an object that appears twice at one address: the current object of an instance, or a deposed key.

## Why is this bad?
OpenTofu refuses to read the state. One of the two real objects would be forgotten.

## Example
```json
"instances": [{"index_key": 0}, {"index_key": 0}]
```

## What to do
Find out which real object each entry represents. `statetool repair` keeps one of them, or gives one another address.
""",
    ),
    Rule(
        Code.INVALID_MODE,
        fix=Subject.repairing,
        page="""The resource mode is neither managed nor data

## What it does
Reports a resource whose `mode` is neither `managed` nor `data`.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"mode": "ephemeral"
```

## What to do
Choose a mode with `statetool repair`. Ephemeral resources do not belong in a state; it can also forget them.
""",
    ),
    Rule(
        Code.INVALID_INSTANCE_KEY,
        fix=Subject.repairing,
        page="""An instance key is neither a number nor a string

## What it does
Reports an `index_key` that is a boolean, an array or an object.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"index_key": true
```

## What to do
Use the key from `count` (a number) or `for_each` (a string): `statetool repair` sets it.
""",
    ),
    Rule(
        Code.RESOURCE_SPREAD,
        fix=lambda subject: subject.rewriting_or_repairing("To join them: "),
        mend=Mend("joins the blocks. It rewrites the state in canonical form."),
        page="""A resource is split into several blocks

## What it does
Reports a resource that is split across several entries of `resources`.

## Why is this bad?
No program writes this. OpenTofu joins the entries; other tools see only one of them.

## Example
```json
{"type": "aws_eip", "name": "nat", "instances": [{"index_key": 0}]},
{"type": "aws_eip", "name": "nat", "instances": [{"index_key": 1}]}
```

## What to do
Run `statetool fmt`, which joins them; in a state that cannot be read, `statetool repair` does.
""",
    ),
    Rule(
        Code.COUNT_KEYS_GAP,
        _count_keys_gap,
        page="""The number keys of a resource have gaps

## What it does
Reports a resource with number keys in which numbers between 0 and the highest key are missing.

## Why is this bad?
`count` numbers instances from 0 without gaps, so the next plan creates the missing ones or destroys the highest
ones. A partly failed apply or an `rm` leaves such a state behind, often on purpose, so this is information.

## Example
```json
"instances": [{"index_key": 0}, {"index_key": 2}]
```

## What to do
If the missing instances should not come back, move the highest one into the gap and lower `count`:
`statetool mv 'aws_eip.nat[2]' 'aws_eip.nat[1]'`.
""",
    ),
    Rule(
        Code.INVALID_IDENTIFIER,
        _invalid_identifier,
        page="""A resource type or name is not an identifier

## What it does
Reports a resource whose `type` or `name` is empty or contains characters that identifiers cannot have.

## Why is this bad?
No configuration can declare such a resource, and no command can name it: the next plan destroys it. OpenTofu reads
the state without a message, so this is a warning.

## Example
```json
{"mode": "managed", "type": "aws_instance", "name": "web server"}
```

## What to do
Run `statetool repair`, and give it the type and name in the configuration.
""",
    ),
    Rule(
        Code.NO_INSTANCES,
        _no_instances,
        page="""A resource has no instances

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
""",
    ),
)
