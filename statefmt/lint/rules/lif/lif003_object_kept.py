"""An object is left that the plan destroys or forgets

## What it does
Reports, in `verify`, each object that the plan destroys or forgets, or that it found to be gone already, and that the
state after the apply still has.

## Why is this bad?
The destroy failed or was not reached: the real object still runs and costs money. If it was destroyed outside, the
next refresh drops it.

## Example
```json
{"address": "aws_instance.old", "change": {"actions": ["delete"]}}
```

## What to do
Look at the output of the apply for its errors, and make a new plan: it destroys what is left.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.OBJECT_KEPT)
