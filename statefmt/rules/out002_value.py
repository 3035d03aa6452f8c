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

from statefmt import codes
from statefmt.diagnostics import Severity
from statefmt.rules.rule import Rule

RULE = Rule(codes.INVALID_OUTPUT_VALUE, "invalid-output-value", Severity.ERROR)
