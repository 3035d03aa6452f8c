"""A deprecated attribute is in use

## What it does
Reports objects with values in deprecated attributes and blocks. Attributes that only the provider sets are ignored.

## Why is this bad?
A later release of the provider removes them. The values may also come from the provider, so this is information.

## Example
```json
{"attributes": {"id": "b-1", "acl": "private"}}
```

## What to do
Change the configuration as the provider's documentation says.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.DEPRECATED_IN_USE)


RULE = Rule(Code.DEPRECATED_IN_USE, _check)
