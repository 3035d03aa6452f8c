"""A module address is invalid

## What it does
Reports a `module` that is not a module instance address.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"module": "network"
```

## What to do
Correct it: `module.network`, `module.network["a"]`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.MODULE_ADDRESS_INVALID)
