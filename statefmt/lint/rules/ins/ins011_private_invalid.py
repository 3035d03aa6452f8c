"""The private data of an object is not base64

## What it does
Reports a `private` member that is neither base64 (standard alphabet, with padding) nor a list of bytes.

## Why is this bad?
OpenTofu refuses to read the state, so this is an error. The member contains what the provider needs for later
operations, such as timeouts.

## Example
```json
"private": "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ"
```

## What to do
Restore the member from a backup; usually padding (`=`) or the end is missing. If there is no backup, remove the
member with `statetool repair`: apart from timeouts and the like, providers work without it.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.PRIVATE_INVALID, fix=Subject.repairing)
