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
Choose with `statetool repair`: the type of the value, another value or type, or no output. The next apply computes it
again.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_OUTPUT_VALUE, fix=Subject.repairing)
