"""A value changed only in form

## What it does
Reports, in `verify`, the values of an object that the plan leaves alone whose form differs from what the plan found,
and whose meaning is the same: JSON in a string with other white space or another order of members and, for providers of
the old SDK, null in place of an empty string, list or map, or the other way round.

## Why is this bad?
It is not: nobody changed anything. A change of the value itself is [LIF011](LIF011.md).

## Example
```json
{"planned": "{\\"a\\":1}", "in the state": "{ \\"a\\": 1 }"}
```

## What to do
Nothing.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.CHANGED_IN_FORM)
