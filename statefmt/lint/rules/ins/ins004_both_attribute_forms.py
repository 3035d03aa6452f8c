"""An object has attributes in both forms

## What it does
Reports an object with both `attributes` and `attributes_flat`.

## Why is this bad?
Only `attributes` counts. The flat form is lost when the state is written.

## Example
```json
"attributes": {"id": "a"}, "attributes_flat": {"id": "b"}
```

## What to do
If `attributes` is right, run `statetool fmt`, which removes `attributes_flat`.
"""

from statefmt.lint.rule import Mend, Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Fix


def _fix(subject: Subject) -> Fix:
    if not subject.can_be_read:
        return subject.repairing()
    return Fix.of('To drop the flat form, if "attributes" is right: ', subject.rewriting(), ".")


RULE = Rule(
    Code.BOTH_ATTRIBUTE_FORMS,
    fix=_fix,
    mend=Mend("removes `attributes_flat`. It rewrites the state in canonical form.", is_safe=False),
)
