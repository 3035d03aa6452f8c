"""The state has no lineage

## What it does
Reports a state whose `lineage` is missing or empty. Formats 1 and 2 mostly have none.

## Why is this bad?
The lineage tells one state from another. Without it `tofu state push` and `init -migrate-state` compare nothing, not
even serials, and let an unrelated or a newer state be overwritten. The state itself can be read: information.

## Example
```json
{"version": 4, "serial": 7, "lineage": ""}
```

## What to do
If a backup or the remote copy has one, take that. Else `statetool new-lineage`.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    if document is not None and not document.lineage:
        yield Code.NO_LINEAGE.finding(
            "State without a lineage",
            "The state has no lineage, so nothing can tell whether another state is a version of this one.",
            pointer="" if document.lineage is None else "/lineage",
            fix=Fix.of(
                "Take the lineage of a backup or of the remote copy; where there is none: ",
                subject.command("new-lineage"),
                ".",
            ),
        )


RULE = Rule(Code.NO_LINEAGE, _check)
