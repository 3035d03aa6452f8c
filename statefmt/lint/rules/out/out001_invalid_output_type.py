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
Choose with `statetool repair`: the type of the value, another type such as `["list", "string"]`, or no output. The
next apply computes it again.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_OUTPUT_TYPE, fix=Subject.repairing)
