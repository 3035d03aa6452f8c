"""A member appears twice in one object

## What it does
Reports a member name that appears more than once in one object of the state.

## Why is this bad?
Only the last one counts. The others are lost as soon as any program writes the file.

## Example
```json
{"serial": 4, "serial": 5}
```

## What to do
Keep the right one, and remove the others with `statetool edit`.
"""

from collections.abc import Iterable

from statefmt.formats.reading.duplicates import duplicate_members
from statefmt.lint.mend import Mend
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    version = subject.inspection.version
    # OpenTofu never writes a member twice, so canonical files need no check.
    if version is not None and not subject.is_canonical:
        yield from duplicate_members(subject.inspection.data, version)


RULE = Rule(
    Code.DUPLICATE_MEMBER,
    _check,
    reads_file=True,
    mend=Mend(
        "keeps the last of each, which is the one that counts. It rewrites the state in canonical form.", is_safe=False
    ),
)
