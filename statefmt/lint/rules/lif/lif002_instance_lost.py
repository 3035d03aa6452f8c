"""An object is gone that the plan keeps

## What it does
Reports, in `verify`, each object that the state before had and the plan keeps (unchanged, or only updated), and that
the state after no longer has.

## Why is this bad?
OpenTofu has forgotten a real object: nobody manages it any more, and the next plan creates it a second time.
Something other than the apply has edited the state, or it is not the state after this apply.

## Example
```json
{"address": "aws_instance.web", "change": {"actions": ["no-op"]}}
```

## What to do
Compare the two states with `statetool diff BEFORE AFTER`. If the object is really lost, restore it from the state
before, or import it.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.INSTANCE_LOST)
