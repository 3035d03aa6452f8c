"""An object still has flat attributes

## What it does
Reports an object of a version 4 file whose only attributes are in the flat form (`attributes_flat`) of Terraform
before 0.12. Formats 1 to 3 have no other form, so nothing is said there; where an object has both forms, INS004
speaks.

## Why is this bad?
The provider must convert them at every read, and nothing wrote the object since it was upgraded: no release since
0.12 has refreshed it. Programs that read the attributes of a state mostly see none. Nothing is lost: information.

## Example
```json
{"schema_version": 0, "attributes_flat": {"id": "i-0f3a", "tags.%": "1", "tags.Name": "web"}}
```

## What to do
Run `tofu apply -refresh-only`, which writes the object anew.
"""

from collections.abc import Iterable

from msgspec import UNSET

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    if subject.inspection.version != 4:
        return
    for part in subject.objects:
        if part.document.attributes_flat is not None and part.document.attributes is UNSET:
            yield Code.FLAT_ATTRIBUTES.finding(
                "Attributes in the flat form",
                f"The attributes of {part.address} are in the form of Terraform before 0.12.",
                part.address,
                f"{part.pointer}/attributes_flat",
                "`tofu apply -refresh-only` writes them in today's form.",
            )


RULE = Rule(Code.FLAT_ATTRIBUTES, _check)
