"""A write-only attribute has a value

## What it does
Reports a value of a write-only attribute.

## Why is this bad?
Write-only values never belong in a state: they are secrets that a provider receives and nobody keeps. OpenTofu refuses
a state with one from a provider.

## Example
```json
{"attributes": {"id": "db-1", "password_wo": "s3cret-word"}}
```

## What to do
Remove the value with `statetool unset`, and replace the secret: copies of the state have it, too.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.WRITE_ONLY_STORED)


RULE = Rule(Code.WRITE_ONLY_STORED, _check)
