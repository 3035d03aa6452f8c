"""The type of an output is invalid

## What it does
Reports an output whose `type` is not a valid type.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"type": "list(string)"
```

## What to do
Write the type as OpenTofu does: `["list", "string"]`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_OUTPUT_TYPE)
