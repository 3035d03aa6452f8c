"""Rules about outputs (OUT). This module has the rules whose findings the reader creates."""

from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULES: Final = (
    Rule(
        Code.INVALID_OUTPUT_TYPE,
        fix=Subject.repairing,
        page="""The type of an output is invalid

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
""",
    ),
    Rule(
        Code.INVALID_OUTPUT_VALUE,
        fix=Subject.repairing,
        page="""The value of an output does not match its type

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
""",
    ),
)
