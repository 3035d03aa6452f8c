"""An object has no attributes

## What it does
Reports an object with neither `attributes` nor `attributes_flat`, or with `null` for them.

## Why is this bad?
OpenTofu reads an empty object without an id. The provider can neither refresh nor destroy the real object; most
providers conclude that it is gone, and plan to create another one. The file can be read, and no release writes such
objects, so this is information.

## Example
```json
{"schema_version": 1, "sensitive_attributes": []}
```

## What to do
Restore the attributes from a backup. Or forget the object and import the real one: `statetool rm aws_instance.web`,
then `tofu import aws_instance.web i-0f3a`.
"""

from collections.abc import Iterable

from msgspec import UNSET

from statefmt.formats.raw_json.raw import equals
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        obj = part.document
        if obj.attributes_flat is None and (obj.attributes is UNSET or equals(obj.attributes, b"null")):
            which = f"The deposed object {obj.deposed}" if obj.deposed else "The object"
            yield Code.NO_ATTRIBUTES.finding(
                "Object without attributes",
                f"{which} of {part.address} has no attributes, not even an id.",
                part.address,
                part.pointer,
                Fix.of(
                    "Restore them from a backup, or import the object again after this: ",
                    subject.command_on("rm", part.address),
                    ".",
                ),
            )


RULE = Rule(Code.NO_ATTRIBUTES, _check)
