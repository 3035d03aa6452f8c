"""A planned change was not made

## What it does
Reports, in `verify`, each change of a plan after which the object is missing, or the same as before: nothing was
created, updated, replaced, imported or read.

## Why is this bad?
The apply failed or was stopped before it came to this change, or it was an apply of another plan. The real object may
exist all the same, if the apply was stopped between creating it and writing the state.

## Example
```json
{"address": "aws_instance.web", "change": {"actions": ["create"]}}
```

## What to do
Look at the output of the apply for its errors. If the real object exists, import it; then make a new plan, which has
what is left to do.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.CHANGE_NOT_MADE)
