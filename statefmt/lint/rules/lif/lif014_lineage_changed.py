"""The lineage has changed

## What it does
Reports, in `verify`, a state after the apply that has another lineage than the state before.

## Why is this bad?
Lineages tell states from each other. These two are not versions of one state, so that all other findings may only say
that the states do not belong together.

## Example
```json
{"lineage": "3c471a05-73d8-5577-a84c-f5fbe3891ace"}
```

## What to do
Pass the right states. If the lineage was changed on purpose, ignore the finding.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.LINEAGE_CHANGED)
