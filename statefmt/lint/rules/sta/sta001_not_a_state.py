"""The file is not a state

## What it does
Reports a file that is empty, not JSON, not UTF-8, or JSON without a format version.

## Why is this bad?
Nothing can be read from it. To OpenTofu, an empty file means "no state": the next apply would create everything
again.

## Example
```json
{"serial": 4, "resources": []}
```

## What to do
Restore the file from a backup with `statetool restore` (`terraform.tfstate.backup`, or an older version in the
backend), or pass the right file. If no backup is recent enough, `statetool salvage FILE` takes what is whole from a
damaged one.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import NO_FIX, Code, Fix


def _fix(subject: Subject) -> Fix:
    # Imported late: most files are states.
    from statefmt.formats.reading.damaged import SALVAGING, has_parts

    if not has_parts(subject.inspection.data):
        return NO_FIX
    return Fix.of(subject.command("salvage", mends=True), SALVAGING)


RULE = Rule(Code.NOT_A_STATE, fix=_fix)
