"""The private data of an object is not base64

## What it does
Reports a `private` member that is not base64 text (standard alphabet, with padding) or a list of bytes.

## Why is this bad?
OpenTofu refuses to read the state: an error. The member holds what the provider needs to go on, such as timeouts.

## Example
```json
"private": "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ"
```

## What to do
Restore the member from a backup; most often padding (`=`) or the end is missing. Where there is none, remove it:
providers live without, apart from timeouts and the like.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.PRIVATE_INVALID)
