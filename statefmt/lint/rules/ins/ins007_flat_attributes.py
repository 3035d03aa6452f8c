"""An object still has flat attributes

## What it does
Reports an object in a version 4 file that has attributes only in the flat form (`attributes_flat`) of Terraform
before 0.12. Formats 1 to 3 have no other form and are ignored. Objects with both forms are left to INS004.

## Why is this bad?
The provider must convert the attributes on every read, and no release since 0.12 has refreshed the object. Most
programs that read attributes from a state do not see any. Nothing is lost, so this is information.

## Example
```json
{"schema_version": 0, "attributes_flat": {"id": "i-0f3a", "tags.%": "1", "tags.Name": "web"}}
```

## What to do
Run `tofu apply -refresh-only`, which rewrites the object. Without the provider, `statetool upgrade -i --schemas FILE`
decodes the attributes by the provider's schema, the output of `tofu providers schema -json`.
"""

from collections.abc import Iterable

from msgspec import UNSET

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    if subject.inspection.version != 4:
        return
    for part in subject.objects:
        if part.document.attributes_flat is not None and part.document.attributes is UNSET:
            yield Code.FLAT_ATTRIBUTES.finding(
                "Attributes in the flat form",
                f"The attributes of {part.address} are in the flat form of Terraform before 0.12.",
                part.address,
                f"{part.pointer}/attributes_flat",
                "Run `tofu apply -refresh-only` to write them in the current form.",
            )


RULE = Rule(Code.FLAT_ATTRIBUTES, _check)
