"""The serial was not raised

## What it does
Reports, in `verify`, a state after the apply with a lower serial than the state before, or with the same one although
the plan changes something.

## Why is this bad?
Each write of a state raises its serial. A state that changed and kept its serial was written by something else, and
backends cannot tell the two versions apart.

## Example
```json
{"serial": 4}
```

## What to do
Check that `--before` and `--after` are in the right order. If they are, raise the serial with `statetool set-serial`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.SERIAL_NOT_RAISED)
