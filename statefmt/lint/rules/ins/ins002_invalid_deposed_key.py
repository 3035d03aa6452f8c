"""A deposed key is not eight bytes long

## What it does
Reports a `deposed` key that is not eight bytes long.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"deposed": "5a3e"
```

## What to do
Give the object a key of eight hexadecimal digits, or forget it: `statetool repair` does either.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_DEPOSED_KEY, fix=Subject.repairing)
