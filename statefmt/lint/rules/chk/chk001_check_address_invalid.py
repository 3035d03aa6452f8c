"""The address of a check result is not valid

## What it does
Reports an address in `check_results` that is not of its kind, or that has instance keys where it names
configuration.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"config_addr": "aws_a.b[0]"
```

## What to do
Correct the address, or remove the results; the next apply makes them anew.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.CHECK_ADDRESS_INVALID)
