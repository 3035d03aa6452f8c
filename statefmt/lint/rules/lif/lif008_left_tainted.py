"""An object is tainted after the apply

## What it does
Reports, in `verify`, each object that the apply created, updated or replaced and that is tainted, and each that the
plan leaves alone and that has become tainted.

## Why is this bad?
Creating the object or running its provisioners failed half-way. The next plan replaces it.

## Example
```json
{"status": "tainted", "attributes": {"id": "i-0f3a"}}
```

## What to do
Mend the reason, and apply again. If the object is complete, run `statetool untaint ADDRESS`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.LEFT_TAINTED)
