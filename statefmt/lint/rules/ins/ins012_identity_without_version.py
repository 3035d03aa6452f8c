"""An identity has no schema version

## What it does
Reports an object with an `identity` but no `identity_schema_version`. The reverse is fine: Terraform 1.12 and later
write `"identity_schema_version": 0` for every object, with or without an identity.

## Why is this bad?
OpenTofu and Terraform write the version with every identity, even if it is 0. If it is missing, they assume 0 and
pass the identity to the provider as one of the oldest form. Usually that is right, so this is information.

## Example
```json
"identity": {"region": "eu-central-1", "id": "i-0f3a"}
```

## What to do
Add `"identity_schema_version": 0`, or the version from a backup. The next apply rewrites both members.
"""

from collections.abc import Iterable

from msgspec import UNSET

from statefmt.formats.raw_json import equals
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        obj = part.document
        if obj.identity is not UNSET and obj.identity_schema_version is None and not equals(obj.identity, b"null"):
            yield Code.IDENTITY_WITHOUT_VERSION.finding(
                "Identity without a schema version",
                f"The identity of {part.address} has no schema version, so OpenTofu assumes version 0.",
                part.address,
                f"{part.pointer}/identity",
                'Add "identity_schema_version" with the version of the identity, usually 0.',
            )


RULE = Rule(Code.IDENTITY_WITHOUT_VERSION, _check)
