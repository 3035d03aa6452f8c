"""An object has attributes in both forms

## What it does
Reports an object with `attributes` and `attributes_flat`.

## Why is this bad?
Only `attributes` counts; what the flat form says is lost when the state is written.

## Example
```json
"attributes": {"id": "a"}, "attributes_flat": {"id": "b"}
```

## What to do
`statetool fmt` removes `attributes_flat`, if `attributes` is right.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Fix


def _fix(subject: Subject) -> Fix:
    return Fix.of('If "attributes" is right, this drops the flat form: ', subject.rewriting(), ".")


RULE = Rule(Code.BOTH_ATTRIBUTE_FORMS, fix=_fix)
