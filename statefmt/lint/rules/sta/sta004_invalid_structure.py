"""A member has an invalid value

## What it does
Reports a member of the wrong JSON type, and a number out of range.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"serial": "7"
```

## What to do
Convert, replace or remove the member with `statetool repair`, or restore the file from a backup.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_STRUCTURE, fix=Subject.repairing)
