"""An attribute does not fit its type

## What it does
Reports an attribute that cannot be decoded by the type in the provider's schema, with the path and the expected type.
Reported only for objects of the provider's own schema version: others are upgraded first.

## Why is this bad?
OpenTofu refuses to plan, refresh or show the resource until the value fits. Editing a state by hand leaves such values,
and so does going back to an older release of a provider.

## Example
```json
{"schema_version": 1, "attributes": {"id": "vol-1", "size": "large"}}
```

## What to do
Set the attribute to a value of the type with `statetool set`, or to null with `statetool unset`: the next refresh reads
it from the real object.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.ATTRIBUTE_UNDECODABLE)


RULE = Rule(Code.ATTRIBUTE_UNDECODABLE, _check)
