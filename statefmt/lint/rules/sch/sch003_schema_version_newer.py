"""A newer release of the provider wrote an object

## What it does
Reports an object whose `schema_version` is higher than that of the provider's schema.

## Why is this bad?
OpenTofu refuses to work on the object: only a newer release of the provider can read it.

## Example
```json
{"schema_version": 3, "attributes": {"id": "vol-1"}}
```

## What to do
Use a release of the provider that is at least as new as the one that wrote the state, or restore the state from before
with `statetool undo` or `statetool restore`.

If the provider lowered its schema versions, neither exists. As a last resort, `statetool set --schema-version N` sets
the number, if the attributes fit that version; or forget the object with `statetool rm`, and import it again.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.SCHEMA_VERSION_NEWER)


RULE = Rule(Code.SCHEMA_VERSION_NEWER, _check)
