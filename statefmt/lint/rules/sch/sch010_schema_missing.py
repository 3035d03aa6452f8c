r"""No schema for a resource type

## What it does
Reports a resource type that the schemas do not have, once for each provider.

## Why is this bad?
OpenTofu refuses to work on the resources: the release of the provider does not know the type. Or the schemas are those
of another configuration, and statetool did not check these resources.

## Example
```json
{"mode": "managed", "type": "acme_volume", "provider": "provider[\"registry.opentofu.org/acme/cloud\"]"}
```

## What to do
Collect the schemas again with `statetool schemas --run` in the directory of the configuration.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.schemas.findings import schema_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return schema_findings(subject, Code.SCHEMA_MISSING)


RULE = Rule(Code.SCHEMA_MISSING, _check)
