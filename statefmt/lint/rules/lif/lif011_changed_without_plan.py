"""An object has changed that the plan leaves alone

## What it does
Reports, in `verify`, each value of an object that is not as the plan found it, though the plan does not change the
object, or does not mention it.

## Why is this bad?
Something other than this apply has changed the state: another apply in between, an edit, or a refresh that found a
change.

## Example
```json
{"address": "aws_instance.web", "change": {"actions": ["no-op"]}}
```

## What to do
Compare the two states with `statetool diff BEFORE AFTER`, and look at their serials: if they are more than a few
apart, there were other runs in between.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.CHANGED_WITHOUT_PLAN)
