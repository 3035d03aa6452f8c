"""`terraform_version` is not a version

## What it does
Reports a `terraform_version` that is not a version number.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"terraform_version": "latest"
```

## What to do
Set it to the release that wrote the state, such as `1.9.0`, or remove it: `statetool repair` does either.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_TERRAFORM_VERSION, fix=Subject.repairing)
