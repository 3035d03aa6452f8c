"""The sensitive paths of an object are invalid

## What it does
Reports `sensitive_attributes` that are not a list of paths.

## Why is this bad?
OpenTofu refuses to read the state. A tool that ignored the error would show secrets.

## Example
```json
"sensitive_attributes": ["password"]
```

## What to do
Write paths with `statetool repair`, as in `[[{"type": "get_attr", "value": "password"}]]`, or remove those that are
invalid.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_SENSITIVE_PATHS, fix=Subject.repairing)
