r"""The file is not UTF-8

## What it does
Reports a state with bytes that are not UTF-8.

## Why is this bad?
OpenTofu silently replaces each such byte, and so changes names, keys or values in the state.

## Example
```json
{"version": 4, "outputs": {"city": {"value": "K\xf6ln", "type": "string"}}}   (saved as Latin-1)
```

## What to do
Convert the file to UTF-8, or restore it from a backup with `statetool restore`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.NOT_UTF8)
