"""A changed object has all values of the old one

## What it does
Reports, in `verify`, each object that the plan replaces and that has exactly the values of the old one afterwards,
even those that were unknown before the apply. If one of these is a random UUID, the finding is [LIF001](LIF001.md)
instead. An update that left the object as it was is reported as information: OpenTofu may find, once everything is
known, that there is nothing to update.

## Why is this bad?
Either the new object has the same name and values as the old one, or the change was not made.

## Example
```json
{"change": {"actions": ["delete", "create"], "after_unknown": {"id": true}}}
```

## What to do
Look at the output of the apply, or at the creation time of the real object.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.CHANGE_LOOKS_THE_SAME)
