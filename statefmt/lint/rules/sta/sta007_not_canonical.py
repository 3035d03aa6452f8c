"""The file is not in canonical form

## What it does
Reports a state that OpenTofu would write differently: in another order, with other whitespace or escapes, or with
values in another form.

## Why is this bad?
It is harmless in itself. But something other than OpenTofu or Terraform wrote the file, and the next apply will
also change unrelated lines.

## Example
```json
{"serial": 4, "version": 4}
```

## What to do
Run `statetool fmt`.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Mend, Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    inspection = subject.inspection
    if inspection.snapshot is not None and not subject.is_record and not subject.is_canonical:
        older = f" It has format version {inspection.version}." if inspection.version != 4 else ""
        yield Code.NOT_CANONICAL.finding(
            "Not in canonical form",
            f"OpenTofu would write the file differently.{older}",
            fix=Fix.of("To rewrite it: ", subject.rewriting(), "."),
        )


RULE = Rule(Code.NOT_CANONICAL, _check, mend=Mend("rewrites the state in canonical form, in its own style."))
