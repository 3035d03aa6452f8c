"""Too few or too many nested blocks

## What it does
Reports nested blocks whose number is outside of the limits in the schema.

## Why is this bad?
The provider would not accept such a configuration, so its code may not expect such a state either.

## Example
```json
{"attributes": {"id": "lb-1", "listener": []}}
```

## What to do
Run `tofu apply -refresh-only`, which reads the blocks from the real object.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.BLOCK_COUNT)


RULE = Rule(Code.BLOCK_COUNT, _check)
