"""A value is sensitive by the schema only

## What it does
Reports objects with values that the provider's schema makes sensitive, and `sensitive_attributes` does not.

## Why is this bad?
OpenTofu hides such values because of the schema. Programs that read states without a schema show them, statetool
included. Older releases did not record these paths, so this is information.

## Example
```json
{"attributes": {"id": "db-1", "password": "s3cret-word"}, "sensitive_attributes": []}
```

## What to do
Run `tofu apply -refresh-only` with a release that records the paths.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.SENSITIVE_BY_SCHEMA)


RULE = Rule(Code.SENSITIVE_BY_SCHEMA, _check)
