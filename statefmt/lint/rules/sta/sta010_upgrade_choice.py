"""Upgrading the format decides or drops something

## What it does
Reports, for a state of format version 1 to 3, each choice that upgrading it makes and each thing that
version 4 has no place for.

## Why is this bad?
Most of it is harmless: dependencies and child-module outputs are computed anew at the next apply.
Instances that disagree about their provider need a look.

## Example
```json
"backend": {"type": "s3"}
```

## What to do
Read the list, then run `statetool upgrade`.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Fix


def _fix(subject: Subject) -> Fix:
    return Fix.of("To upgrade the file: ", subject.rewriting(), ".")


RULE = Rule(Code.UPGRADE_CHOICE, fix=_fix)
