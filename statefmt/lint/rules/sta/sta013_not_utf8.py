"""The file is not UTF-8

## What it does
Reports a state with bytes that are not UTF-8.

## Why is this bad?
OpenTofu replaces each such byte without a word, and so changes names, keys or values in the state.

## Example
```json
a file saved as Latin-1 or UTF-16
```

## What to do
Convert the file to UTF-8, or restore it from a backup.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.NOT_UTF8)
