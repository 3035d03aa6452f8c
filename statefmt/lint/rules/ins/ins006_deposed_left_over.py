"""A deposed object is left over

## What it does
Reports each deposed object: one that was to be replaced (`create_before_destroy`) and is not destroyed yet.

## Why is this bad?
Mostly an apply was stopped, or the destruction failed, between creating the new object and destroying the old one.
The old one still runs and costs money, and the next apply destroys it without its address being in the
configuration. That surprises: a warning.

## Example
```json
{"deposed": "5a3e8f01", "schema_version": 1, "attributes": {"id": "i-0f3a"}}
```

## What to do
Let the next apply destroy it. If the real object is gone already, or shall live on outside of the state:
`statetool forget-deposed aws_instance.web`.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        key = part.document.deposed
        if key:
            yield Code.DEPOSED_LEFT_OVER.finding(
                "Deposed object left over",
                f"Instance {part.address} has the deposed object {key}; the next apply is to destroy it.",
                part.address,
                f"{part.pointer}/deposed",
                Fix.of(
                    "If the real object is gone or shall stay: ",
                    subject.command_on("forget-deposed", part.address),
                    ".",
                ),
            )


RULE = Rule(Code.DEPOSED_LEFT_OVER, _check)
