"""A planned move was not made

## What it does
Reports, in `verify`, each object that the plan moves to another address and that is still at its old one, or at both.

## Why is this bad?
The next plan finds an object without a block at the old address, and may want to destroy it, and to create the one at
the new address.

## Example
```json
{"address": "aws_instance.new", "previous_address": "aws_instance.old"}
```

## What to do
Make a new plan with the same `moved` block, or move the object with `statetool mv`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.MOVE_NOT_MADE)
