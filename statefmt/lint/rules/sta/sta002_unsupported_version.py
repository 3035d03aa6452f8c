"""The state has a format version that cannot be read

## What it does
Reports states of a format version other than 1 to 4, and the binary format of Terraform before 0.7.

## Why is this bad?
Another program, or another release of this one, is needed to read it.

## Example
```json
{"version": 5, "serial": 1}
```

## What to do
Use a newer statetool. For the binary format, upgrade the state with Terraform 0.6.16 first.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.UNSUPPORTED_VERSION)
