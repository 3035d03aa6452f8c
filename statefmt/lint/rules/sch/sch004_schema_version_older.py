"""An older release of the provider wrote an object

## What it does
Reports objects whose `schema_version` is lower than that of the provider's schema.

## Why is this bad?
Nothing is wrong: the provider upgrades the object when OpenTofu next reads it. Afterwards, older releases of the
provider refuse the state, so this is information.

## Example
```json
{"schema_version": 0, "attributes": {"id": "vol-1"}}
```

## What to do
Keep a copy of the state if you may have to go back. `tofu apply -refresh-only` upgrades all objects at once.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.SCHEMA_VERSION_OLDER)


RULE = Rule(Code.SCHEMA_VERSION_OLDER, _check)
