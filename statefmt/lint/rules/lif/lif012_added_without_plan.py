"""An object is new that the plan does not mention

## What it does
Reports, in `verify`, each object of the state after the apply that neither the plan nor the state before has.

## Why is this bad?
An import, another apply or an edit came in between, or the plan is not the one that was applied.

## Example
```json
{"mode": "managed", "type": "aws_instance", "name": "extra"}
```

## What to do
Find out where the object comes from (`statetool history` has the edits that statetool made). If it should not be
managed here, run `statetool rm ADDRESS`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.ADDED_WITHOUT_PLAN)
