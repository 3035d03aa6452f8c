"""The state has no lineage

## What it does
Reports a state whose `lineage` is missing or empty. Most states in formats 1 and 2 have none.

## Why is this bad?
The lineage identifies a state. Without it, `tofu state push` and `init -migrate-state` compare nothing, not even
serials, and may overwrite an unrelated or a newer state. The state itself can be read, so this is information.

## Example
```json
{"version": 4, "serial": 7, "lineage": ""}
```

## What to do
Use the lineage of a backup or of the remote copy, if it has one. Otherwise run `statetool new-lineage`.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    if document is not None and not document.lineage and not subject.is_record:
        yield Code.NO_LINEAGE.finding(
            "State without a lineage",
            "Without a lineage, OpenTofu cannot check whether another state is a version of this one.",
            pointer="" if document.lineage is None else "/lineage",
            fix=Fix.of(
                "Use the lineage of a backup or of the remote copy; if there is none: ",
                subject.command("new-lineage"),
                ".",
            ),
        )


RULE = Rule(Code.NO_LINEAGE, _check)
