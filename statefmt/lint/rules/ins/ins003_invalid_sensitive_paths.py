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
Write paths: `[[{"type": "get_attr", "value": "password"}]]`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.INVALID_SENSITIVE_PATHS)
