"""The state cannot be upgraded to format version 4

## What it does
Reports what prevents the upgrade of a state in format version 1 to 3: a resource address, a module path or a
provider reference that version 4 cannot express.

## Why is this bad?
Neither OpenTofu nor Terraform can read the state. OpenTofu 1.13 does not read versions before 4 at all.

## Example
```json
"aws_instance.web.first": {"type": "aws_instance"}
```

## What to do
Correct or forget the reported entry with `statetool repair`. If it is an alias that contains `${…}`, rename the alias
and apply with Terraform 0.11 first.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.UPGRADE_FAILED, fix=Subject.repairing)
