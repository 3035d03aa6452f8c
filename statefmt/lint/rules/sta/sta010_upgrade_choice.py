"""Upgrading the format makes a choice or drops data

## What it does
Reports, for a state in format version 1 to 3, each choice that the upgrade makes and all data that version 4 cannot
hold.

## Why is this bad?
Most of it is harmless: the next apply computes dependencies and outputs of child modules again. But check instances
that disagree about their provider.

## Example
```json
"backend": {"type": "s3"}
```

## What to do
Review the findings, then run `statetool upgrade`.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Fix


def _fix(subject: Subject) -> Fix:
    return Fix.of("To upgrade the file: ", subject.rewriting(), ".")


RULE = Rule(Code.UPGRADE_CHOICE, fix=_fix)
