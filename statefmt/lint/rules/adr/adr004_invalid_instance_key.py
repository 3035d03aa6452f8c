"""An instance key is neither a number nor a string

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
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_INSTANCE_KEY, fix=Subject.repairing)
