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

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Fix


def _fix(subject: Subject) -> Fix:
    return Fix.of("To join them: ", subject.rewriting(), ".")


RULE = Rule(Code.RESOURCE_SPREAD, fix=_fix)
