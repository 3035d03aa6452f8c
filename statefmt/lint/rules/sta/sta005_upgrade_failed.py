"""The state cannot be upgraded to format version 4

## What it does
Reports what stands in the way of upgrading a state of format version 1 to 3: a resource address, a
module path or a provider reference that version 4 has no place for.

## Why is this bad?
Neither OpenTofu nor Terraform can read the state; OpenTofu 1.13 reads no version before 4 at all.

## Example
```json
"aws_instance.web.first": {"type": "aws_instance"}
```

## What to do
Correct the entry named. An alias with `${…}` in it must be renamed and applied with Terraform 0.11
first.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.UPGRADE_FAILED)
