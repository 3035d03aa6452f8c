"""An object is tainted

## What it does
Reports a current object of a managed resource with the status `tainted`. Deposed objects are left to INS006, since
they are destroyed anyway. Data resources are ignored: every plan reads them again, whatever their status.

## Why is this bad?
The next apply destroys the object and creates a new one. After `taint` that is intended. After a failed provisioner
or an incomplete create it often is not, and destroys a database or loses an address. The state can be read, so this
is a warning.

## Example
```json
{"schema_version": 1, "status": "tainted", "attributes": {"id": "i-0f3a"}}
```

## What to do
If the object is sound, run `statetool untaint aws_instance.web`. Otherwise let the next apply replace it.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        if part.document.status == "tainted" and not part.document.deposed and part.resource.document.mode != "data":
            yield Code.TAINTED.finding(
                "Tainted object",
                f"The object of {part.address} is tainted: the next apply destroys it and creates a new one.",
                part.address,
                f"{part.pointer}/status",
                Fix.of("If it is sound: ", subject.command_on("untaint", part.address), "."),
            )


RULE = Rule(Code.TAINTED, _check)
