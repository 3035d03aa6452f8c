"""The instances of a resource have different schema versions

## What it does
Reports a resource whose current objects do not all have the same `schema_version`. There is one finding for each
resource. Deposed objects are ignored: whatever release created them wrote them.

## Why is this bad?
An apply writes all instances with the schema version of the provider. If the versions differ, some instances have
not been written for a long time (`-target`), were moved or merged in from elsewhere, or come from a newer provider
and cannot be read by an older one. The provider upgrades old instances by itself, so this is information.

## Example
```json
"instances": [{"index_key": 0, "schema_version": 1}, {"index_key": 1, "schema_version": 2}]
```

## What to do
Run `tofu apply -refresh-only` with the newest provider that wrote any of them.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    first: dict[str, int] = {}
    reported: set[str] = set()
    for part in subject.objects:
        if part.document.deposed:
            continue
        resource = part.resource.address
        version = part.document.schema_version or 0
        if first.setdefault(resource, version) == version or resource in reported:
            continue
        reported.add(resource)
        yield Code.SCHEMA_VERSIONS_DIFFER.finding(
            "Schema versions differ within a resource",
            f"Instance {part.address} has schema version {version}, but the first instance of "
            f"{resource} has {first[resource]}.",
            resource,
            f"{part.pointer}/schema_version",
            "Run `tofu apply -refresh-only` to write all instances with one version.",
        )


RULE = Rule(Code.SCHEMA_VERSIONS_DIFFER, _check)
