"""An identity has no schema version

## What it does
Reports an object with an `identity` that has no `identity_schema_version`. The other way round is no problem:
Terraform since 1.12 writes `"identity_schema_version": 0` for every object, with an identity or without.

## Why is this bad?
OpenTofu and Terraform write the version with every identity, also where it is 0. Where it is missing they take 0, and
hand the identity to the provider as one of the oldest form. Mostly that is right, so it is information.

## Example
```json
"identity": {"region": "eu-central-1", "id": "i-0f3a"}
```

## What to do
Add `"identity_schema_version": 0`, or the version that a backup has; the next apply writes both anew.
"""

from collections.abc import Iterable

from msgspec import UNSET

from statefmt.formats.raw_json.raw import equals
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        obj = part.document
        if obj.identity is not UNSET and obj.identity_schema_version is None and not equals(obj.identity, b"null"):
            yield Code.IDENTITY_WITHOUT_VERSION.finding(
                "Identity without a schema version",
                f"The identity of {part.address} has no version; it is taken for one of version 0.",
                part.address,
                f"{part.pointer}/identity",
                'Add "identity_schema_version" with the version that wrote the identity, mostly 0.',
            )


RULE = Rule(Code.IDENTITY_WITHOUT_VERSION, _check)
