"""The value of an output does not fit its type

## What it does
Reports an output whose `value` is not of its `type`.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"value": "many", "type": "number"
```

## What to do
Correct the value or the type; the next apply computes both anew.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_OUTPUT_VALUE)
