r"""A value is read differently than it is written

## What it does
Reports a value that OpenTofu drops or reads as another one: `v1.2` as `1.2.0`, a dependency with instance keys as
one without, or a key `1.0` as `1`.

## Why is this bad?
The next program that writes the state changes the value.

## Example
```json
"dependencies": ["module.a[\"x\"].aws_vpc.main"]
```

## What to do
Nothing, if the value that OpenTofu reads is the intended one; `statetool fmt` writes it in that form.
"""

from statefmt.lint.rule import Mend, Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Fix


def _fix(subject: Subject) -> Fix:
    return Fix.of("To write it in that form, if it is the intended value: ", subject.rewriting(), ".")


RULE = Rule(
    Code.NORMALISED_VALUE,
    fix=_fix,
    mend=Mend("writes the value as OpenTofu reads it. It rewrites the state in canonical form.", is_safe=False),
)
