r"""A value is read in another form than it is written

## What it does
Reports a value that OpenTofu takes for another one: `v1.2` for `1.2.0`, a dependency with instance keys
for one without, a key `1.0` for `1`, or that it drops.

## Why is this bad?
The next program that writes the state changes it.

## Example
```json
"dependencies": ["module.a[\"x\"].aws_vpc.main"]
```

## What to do
Nothing, if the form that it is read in is what was meant; `statetool fmt` writes it so.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Fix


def _fix(subject: Subject) -> Fix:
    return Fix.of("If that is what was meant, this writes it so: ", subject.rewriting(), ".")


RULE = Rule(Code.NORMALISED_VALUE, fix=_fix)
