"""The status of an object is invalid

## What it does
Reports a `status` other than `"tainted"`.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"status": "creating"
```

## What to do
Choose with `statetool repair`: the object is sound (no status), or must be replaced (`"tainted"`).
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_STATUS, fix=Subject.repairing)
