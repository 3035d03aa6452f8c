"""The resource mode is neither managed nor data

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
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_MODE, fix=Subject.repairing)
