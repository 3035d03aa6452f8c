"""The file is not in canonical form

## What it does
Reports a state that OpenTofu would write in other bytes: other order, spacing, escapes, or values in
another form.

## Why is this bad?
It is harmless by itself, but it shows that something other than OpenTofu or Terraform wrote the file,
and the next apply will change lines that have nothing to do with it.

## Example
```json
{"serial": 4, "version": 4}
```

## What to do
Run `statetool fmt`.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    inspection = subject.inspection
    if inspection.snapshot is not None and not subject.is_canonical:
        older = f" It has format version {inspection.version}." if inspection.version != 4 else ""
        yield Code.NOT_CANONICAL.finding(
            "Not in canonical form",
            f"The file is not in the bytes that OpenTofu would write.{older}",
            fix=Fix.of("To have it so: ", subject.rewriting(), "."),
        )


RULE = Rule(Code.NOT_CANONICAL, _check)
