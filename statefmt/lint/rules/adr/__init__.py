"""Rules about addresses and identity (ADR). This module has the rules whose findings the reader creates."""

from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code

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
)
