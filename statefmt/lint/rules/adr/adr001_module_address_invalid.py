"""A module address is invalid

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
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.MODULE_ADDRESS_INVALID, fix=Subject.repairing)
