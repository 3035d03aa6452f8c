"""A resource is split into several blocks

## What it does
Reports a resource that is split across several entries of `resources`.

## Why is this bad?
No program writes this. OpenTofu joins the entries; other tools see only one of them.

## Example
```json
{"type": "aws_eip", "name": "nat", "instances": [{"index_key": 0}]},
{"type": "aws_eip", "name": "nat", "instances": [{"index_key": 1}]}
```

## What to do
Run `statetool fmt`, which joins them; in a state that cannot be read, `statetool repair` does.
"""

from statefmt.lint.rule import Mend, Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Fix


def _fix(subject: Subject) -> Fix:
    if not subject.can_be_read:
        return subject.repairing()
    return Fix.of("To join them: ", subject.rewriting(), ".")


RULE = Rule(Code.RESOURCE_SPREAD, fix=_fix, mend=Mend("joins the blocks. It rewrites the state in canonical form."))
