"""A required attribute has no value

## What it does
Reports attributes that the schema requires and that are null or missing.

## Why is this bad?
The real object has a value. The next refresh should fill it in; until then, anything that refers to the attribute gets
null, and a plan shows a change.

## Example
```json
{"attributes": {"id": "vol-1", "zone": null}}
```

## What to do
Run `tofu apply -refresh-only`. If the value stays null, set it with `statetool set`.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.REQUIRED_MISSING)


RULE = Rule(Code.REQUIRED_MISSING, _check)
