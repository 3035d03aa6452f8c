"""The value of an output does not match its type

## What it does
Reports an output whose `value` does not match its `type`.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"value": "many", "type": "number"
```

## What to do
Correct the value or the type; the next apply computes both again.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_OUTPUT_VALUE)
