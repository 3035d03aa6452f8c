"""An attribute is not in the schema

## What it does
Reports attributes with a value that the provider's schema does not have. Null is ignored.

## Why is this bad?
OpenTofu silently drops them when it next writes the object. They are left over from another release of the
provider, misspelled, or the state belongs to another provider.

## Example
```json
{"schema_version": 1, "attributes": {"id": "vol-1", "sise": 20}}
```

## What to do
Compare the release of the provider with the one that wrote the state. If the value is of no use, remove it with
`statetool unset`.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.ATTRIBUTE_UNKNOWN)


RULE = Rule(Code.ATTRIBUTE_UNKNOWN, _check)
