"""One resource stands in several blocks

## What it does
Reports a resource that is spread over several entries of `resources`.

## Why is this bad?
No program writes that. OpenTofu joins the entries; other tools see one of them.

## Example
```json
two entries with "type": "aws_eip", "name": "nat"
```

## What to do
Run `statetool fmt`, which joins them.
"""

from statefmt.codes import Code
from statefmt.diagnostics import Fix
from statefmt.rules.rule import Rule
from statefmt.rules.subject import Subject


def _fix(subject: Subject) -> Fix:
    return Fix.of("To join them: ", subject.rewriting(), ".")


RULE = Rule(Code.RESOURCE_SPREAD, fix=_fix)
