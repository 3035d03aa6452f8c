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
Remove the member, or set it to `"tainted"` if the object must be replaced.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_STATUS)
