"""An object is marked as tainted

## What it does
Reports a current object of a managed resource with the status `tainted`. Deposed objects are left to INS006, since they
are destroyed anyway; data resources are read anew by each plan, whatever their status.

## Why is this bad?
The next apply destroys the object and creates it anew. That is what was wanted after `taint`; after a provisioner or
a create that failed half-way it often is not, and a database or an address is gone. It surprises: a warning.

## Example
```json
{"schema_version": 1, "status": "tainted", "attributes": {"id": "i-0f3a"}}
```

## What to do
If the object is sound, `statetool untaint aws_instance.web`. Else let the next apply replace it.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        if part.document.status == "tainted" and not part.document.deposed and part.resource.document.mode != "data":
            yield Code.TAINTED.finding(
                "Tainted object",
                f"The object of {part.address} is tainted: the next apply destroys it and creates another one.",
                part.address,
                f"{part.pointer}/status",
                Fix.of("If it is sound: ", subject.command_on("untaint", part.address), "."),
            )


RULE = Rule(Code.TAINTED, _check)
