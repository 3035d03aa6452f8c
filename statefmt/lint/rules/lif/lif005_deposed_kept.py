"""A deposed object is left after the apply

## What it does
Reports, in `verify`, each deposed object that the plan destroys and that is still in the state, and each new one: an
object that was replaced with `create_before_destroy` and not destroyed afterwards.

## Why is this bad?
The old object still runs beside the new one. The next apply destroys it, although nothing in the configuration
mentions it.

## Example
```json
{"deposed": "00c0ffee", "attributes": {"id": "i-0f3a"}}
```

## What to do
Let the next apply destroy it. If the real object is already gone, run `statetool forget-deposed ADDRESS`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.DEPOSED_KEPT)
