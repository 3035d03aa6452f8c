"""The state has an unsupported format version

## What it does
Reports states with a format version other than 1 to 4, and the binary format of Terraform before 0.7.

## Why is this bad?
This release of statetool cannot read the state.

## Example
```json
{"version": 5, "serial": 1}
```

## What to do
Use a newer statetool, or restore the file from a backup with `statetool restore`. If the file has the binary format,
upgrade it with Terraform 0.6.16 first.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.UNSUPPORTED_VERSION)
