"""A member has a value that it cannot have

## What it does
Reports a member of the wrong JSON type, a number out of range, and `private` data that is not base64.

## Why is this bad?
OpenTofu refuses to read any of the file.

## Example
```json
"serial": "7"
```

## What to do
Correct the member at the place named, or restore the file from a backup.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_STRUCTURE)
